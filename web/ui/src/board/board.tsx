import "./board.css";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { type OrderOf, useOrders } from "../ahead/orders";
import { ApiError } from "../api/client";
import { attemptsQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { Lanes, type LanesHandle } from "../lanes/lanes";
import type { LanesData, Spot } from "../lanes/model";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { DayBar, Find, Tools, useDayKeys } from "./bar";
import { type Joint, jointOf, told } from "./edges";
import { Legend } from "./legend";
import { useServerNow } from "./now";
import { hrefOf, Panel } from "./panel";
import { type Picture, pictureOf } from "./picture";
import { isDate, isSelector, type Place, readPlace, writePlace } from "./place";
import { type Day, dayQuery, edgesQuery } from "./queries";
import { type Row, triesOf } from "./rows";
import { Words } from "./words";

/** Board is a day: every instance of every job, where it ran or will run. The address says all that is chosen. */
export default function Board() {
  const t = useT();
  const params = useParams<{ date?: string }>();
  const [, go] = useLocation();
  const [query, setQuery] = useAddress();
  const place = useMemo(() => readPlace(params.date, query), [params.date, query]);
  const question = { date: place.date, zone: place.zone, selector: isSelector(place.find) ? place.find : "" };
  const answer = useQuery(dayQuery(question));
  const lanes = useRef<LanesHandle>(null);
  const day = answer.data;
  const date = day?.date ?? (place.date === "today" ? new Date().toISOString().slice(0, 10) : place.date);

  const change = useCallback((next: Partial<Place>) => setQuery(writePlace({ ...place, ...next }), { replace: true }), [place, setQuery]);
  const onDate = useCallback(
    (to: string) => {
      const rest = new URLSearchParams(writePlace({ ...place, frame: undefined })).toString();
      go((to === "today" ? "/day" : `/day/${to}`) + (rest === "" ? "" : `?${rest}`));
    },
    [place, go],
  );
  useDayKeys(place.date === "today" || answer.isPlaceholderData ? (place.date === "today" ? date : place.date) : date, onDate);
  const none = answer.error instanceof ApiError && answer.error.problem.status === 404 ? answer.error.message : undefined;
  const wrong = params.date !== undefined && !isDate(params.date) && params.date !== "today";

  return (
    <>
      <div className="row board-head">
        <h1 className="hidden">{t("board.title", { date })}</h1>
        <DayBar
          date={place.date === "today" ? date : place.date}
          zone={place.zone || day?.zone || ""}
          zones={zonesOf(day, place.zone)}
          onDate={onDate}
          onZone={(zone) => change({ zone, frame: undefined })}
        />
        <Find find={place.find} onFind={(find) => change({ find })} />
        <Tools place={place} change={change} zoom={(by) => lanes.current?.zoom(by)} />
      </div>
      {wrong && (
        <p className="problem" role="alert">
          {t("board.noDate", { date: params.date ?? "" })}
        </p>
      )}
      {none !== undefined ? (
        <Nothing title={t("board.noneFound")} words={none} onClear={() => change({ find: "", states: [] })} />
      ) : (
        <>
          {answer.error instanceof ApiError && answer.error.problem.status === 422 && place.find !== "" && (
            <div>
              <button type="button" onClick={() => change({ find: "", states: [] })}>
                {t("board.clear")}
              </button>
            </div>
          )}
          <Loaded query={answer}>
            {(data) => (
              <DayView day={data} place={place} question={question} change={change} stale={answer.isPlaceholderData} lanes={lanes} />
            )}
          </Loaded>
        </>
      )}
    </>
  );
}

/** zonesOf are the zones to choose from: that of the answer, those of its jobs, the reader's own. */
function zonesOf(day: Day | undefined, chosen: string): string[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [chosen, day?.zone, ...(day?.jobs ?? []).map((job) => job.zone), own, "UTC"];
  return [...new Set(zones.filter((zone): zone is string => zone !== undefined && zone !== ""))].sort();
}

function Nothing({ title, words, onClear }: { title: string; words: string; onClear?: () => void }) {
  const t = useT();
  return (
    <div className="card stack">
      <p>{title}</p>
      <p className="soft">{words}</p>
      {onClear && (
        <div>
          <button type="button" onClick={onClear}>
            {t("board.clear")}
          </button>
        </div>
      )}
    </div>
  );
}

type Question = Parameters<typeof dayQuery>[0];

function DayView(props: {
  day: Day;
  place: Place;
  question: Question;
  change: (next: Partial<Place>) => void;
  stale: boolean; // of another question, until the answer to this one has come
  lanes: RefObject<LanesHandle | null>;
}) {
  const t = useT();
  const { day, question, change, lanes } = props;
  const place = useDeferredValue(props.place);
  const now = useServerNow();
  const words = useMemo(() => new Words(day, t, now), [day, t, now]);
  const find = isSelector(place.find) ? "" : place.find;
  const orderOf = useOrders();
  const picture = useMemo(() => draw(day, find, place.states, now, t, orderOf), [day, find, place.states, now, t, orderOf]);

  const [selected, setSelected] = useState<string>("");
  const chosen = useMemo(() => picture.data.bars.findIndex((bar) => bar.id === selected), [picture, selected]);
  const [wanted, setWanted] = useState(false); // somebody has come to a bar: its edges are asked for
  const edges = useQuery({ ...edgesQuery(question, day.waits), enabled: !props.stale && (wanted || place.edges || chosen >= 0) });
  const joint = useMemo<Joint | undefined>(() => edges.data && jointOf(picture, day, edges.data), [picture, day, edges.data]);
  const row = picture.rows[chosen];
  const attempts = useQuery({ ...attemptsQuery(row?.id ?? ""), enabled: row !== undefined && row.id !== "0" });
  const tries = useMemo(() => triesOf(row, attempts.data?.items ?? []), [row, attempts.data]);
  const data = useMemo<LanesData>(() => {
    const ticks = tries.slice(1).map((one) => Date.parse(one.startedAt));
    const bars = ticks.length === 0 ? picture.data.bars : picture.data.bars.map((bar, n) => (n === chosen ? { ...bar, ticks } : bar));
    return { ...picture.data, bars, edges: joint?.edges };
  }, [picture, joint, tries, chosen]);

  const chosenFolds = props.place.folded;
  const folded = useMemo(() => new Set(chosenFolds.includes("*") ? picture.workflows : chosenFolds), [chosenFolds, picture]);
  const options = useMemo(() => ({ edges: place.edges ? ("all" as const) : ("one" as const) }), [place.edges]);
  const [, go] = useLocation();
  const rowAt = (spot: Spot): Row | undefined => (spot.kind === "bar" ? picture.rows[spot.bar] : undefined);

  const describe = (spot: Spot): string => {
    const row = rowAt(spot);
    if (row) return [words.name(row), ...words.facts(row)].join(", ");
    if (spot.kind === "group") {
      const note = data.groups?.get(spot.group) ?? "";
      return t("board.group", { name: spot.group, note: folded.has(spot.group) ? `${note}, ${t("board.folded")}` : note });
    }
    return spot.kind === "lane" ? (data.lanes[spot.lane]?.label ?? "") : "";
  };
  const open = (spot: Spot) => {
    const row = rowAt(spot);
    if (row) go(hrefOf(day, row, words));
    else if (spot.kind === "lane") {
      const lane = data.lanes[spot.lane];
      if (lane) go(`/jobs/${encodeURIComponent(lane.group ?? "")}/${encodeURIComponent(lane.label)}`);
    }
  };
  const fold = (group: string, on: boolean) => {
    const rest = [...folded].filter((one) => one !== group);
    change({ folded: on ? [...rest, group] : rest });
  };
  const show = (row: number) => {
    const bar = picture.barOfRow[row] ?? -1;
    if (bar < 0) return;
    lanes.current?.show(bar);
    setSelected(data.bars[bar]?.id ?? "");
  };
  const empty = data.bars.length === 0;
  const filtered = place.find !== "" || place.states.length > 0;
  const clear = filtered ? () => change({ find: "", states: [] }) : undefined;

  return (
    <>
      <div className="row">
        <Legend counts={picture.counts} chosen={props.place.states} onChoose={(states) => change({ states })} />
        <span className="grow" />
        <Link className="small number" href={`/instances?q=${encodeURIComponent(asList(place.find, day.date))}`}>
          {t("board.count", { n: picture.rows.filter((one) => !one.past).length })}
        </Link>
      </div>
      {empty ? (
        <Nothing title={t(filtered ? "board.noneFound" : "board.none")} words={t("board.noneHint")} onClear={clear} />
      ) : (
        <div className={props.stale ? "board stale" : "board"} aria-busy={props.stale}>
          <Lanes
            label={t("board.label", { date: day.date, zone: day.zone, lanes: data.lanes.length, bars: data.bars.length })}
            data={data}
            now={now}
            options={options}
            folded={folded}
            selected={chosen}
            frame={place.frame}
            describe={describe}
            tooltip={(spot) => {
              if (!wanted && spot.kind === "bar") queueMicrotask(() => setWanted(true));
              const over = rowAt(spot);
              return (
                over && (
                  <Tip row={over} words={words} lines={joint && edges.data ? edgeLines(joint, data, spot, words, day, edges.data) : []} />
                )
              );
            }}
            onSelect={(bar) => setSelected(data.bars[bar]?.id ?? "")}
            onOpen={open}
            onFold={fold}
            onFrame={(frame) => change({ frame })}
            handle={lanes}
          />
          {row && (
            <Panel tries={tries} day={day} row={row} words={words} edges={edges.data} onShow={show} onClose={() => setSelected("")} />
          )}
        </div>
      )}
    </>
  );
}

function draw(day: Day, find: string, states: readonly string[], now: number, t: ReturnType<typeof useT>, orderOf: OrderOf): Picture {
  const picture = pictureOf(day, {
    find,
    states,
    now,
    orderOf,
    note: (jobs, failed, late) =>
      [
        t(jobs === 1 ? "board.noteOne" : "board.note", { jobs }),
        ...(failed > 0 ? [t("board.noteFailed", { n: failed })] : []),
        ...(late > 0 ? [t("board.noteLate", { n: late })] : []),
      ].join(" · "),
  });
  const { now: running, peak } = picture.slots;
  if (picture.data.strip) picture.data.strip.label = t("board.slots", { now: running, limit: day.slots, peak });
  return picture;
}

/** edgeLines are the first few edges that lead to a bar, in words. */
function edgeLines(joint: Joint, data: LanesData, spot: Spot, words: Words, day: Day, answer: Parameters<typeof told>[1]): string[] {
  if (spot.kind !== "bar" || data.edges !== joint.edges) return [];
  const mine = joint.edges.filter((edge) => edge.to === spot.bar).slice(0, 3);
  return mine.map((edge) => {
    const one = told(day, answer, joint.numbers.get(edge) ?? 0);
    return `← ${words.range(one)} · ${words.rule(answer, one)}`;
  });
}

function Tip({ row, words, lines }: { row: Row; words: Words; lines: string[] }) {
  return (
    <>
      <strong>{words.name(row)}</strong>
      {words.facts(row).map((line) => (
        <div key={line}>{line}</div>
      ))}
      {lines.map((line) => (
        <div key={line} className="soft small">
          {line}
        </div>
      ))}
    </>
  );
}

/** asList is the selector of the list of the same instances, as nearly as a selector says it. */
function asList(find: string, date: string): string {
  if (!isSelector(find)) return `date:${date}`;
  return /(^|\s)date:/.test(find) ? find : `date:${date} ${find}`;
}
