import "./simulate.css";
import { useCallback, useMemo, useRef, useState } from "react";
import { useT } from "../i18n/language";
import type { LanesHandle } from "../lanes/lanes";
import { useAddress } from "../parts/address";
import { ProblemView } from "../parts/problem";
import { clock } from "../parts/time";
import { type Ask, delayOf, fails, readAsk, withDelay, withFailure, writeAsk } from "./ask";
import { Changes } from "./changes";
import { Chart } from "./chart";
import { ChosenView } from "./chosen";
import { moveOf } from "./compare";
import { Controls } from "./controls";
import type { Foresight } from "./foresight";
import { Outcome, tabs } from "./outcome";
import { picture } from "./picture";
import { type Chosen, type Days, useDays } from "./played";
import { Words } from "./words";

/** SimulatePage plays a day before it comes, and again with each change that is made of it. The changes are in the address: a link is the day with them. */
export default function SimulatePage() {
  const t = useT();
  const [search, setSearch] = useAddress();
  const ask = useMemo(() => readAsk(search), [search]);
  const [beside, setBeside] = useState<Chosen>();
  const days = useDays(ask, beside);
  const { played } = days;
  const change = (next: Ask) => setSearch((old) => writeAsk(old, next));
  const date = played?.foresight.answer.from.slice(0, 10) ?? "";
  const jobs = played?.foresight.columns.jobs ?? [];
  return (
    <>
      <header className="row simulate-head">
        <h1>{t("simulate.title")}</h1>
        <Controls ask={ask} date={ask.date === "" ? date : ask.date} beside={beside} onChange={change} onBeside={setBeside} />
        <span className="grow" />
        <span className="soft small" role="status">
          {days.playing
            ? t("simulate.playing")
            : played && t("simulate.played", { n: played.foresight.count, took: new Words(played.foresight, t).span(played.took) })}
        </span>
        <button type="button" onClick={days.again} disabled={days.playing} aria-label={t("simulate.again")} title={t("simulate.again")}>
          ↻
        </button>
      </header>
      <Changes
        ask={ask}
        beside={beside}
        date={date}
        names={jobs.map((one) => `${one.workflow}/${one.job}`)}
        pools={[...new Set(jobs.flatMap((one) => one.pool ?? []))]}
        onChange={change}
        onBeside={setBeside}
      />
      {days.error && (
        <div className="stack tight">
          <ProblemView error={days.error} retry={days.again} />
          {played && <p className="soft small">{t("simulate.stale")}</p>}
        </div>
      )}
      {played === undefined ? (
        !days.error && <p className="soft">{t("simulate.playing")}</p>
      ) : (
        <Shown
          key={played.foresight.answer.from}
          ask={ask}
          days={days}
          foresight={played.foresight}
          playedAsk={played.ask}
          onChange={change}
        />
      )}
    </>
  );
}

function Shown(props: { ask: Ask; days: Days; foresight: Foresight; playedAsk: Ask; onChange: (ask: Ask) => void }) {
  const t = useT();
  const { ask, days, foresight, playedAsk, onChange } = props;
  const { comparison, usual } = days;
  const [search, setSearch] = useAddress();
  const chart = useRef<LanesHandle>(null);
  const field = useRef<HTMLInputElement>(null);
  const words = useMemo(() => new Words(foresight, t), [foresight, t]);
  const tab = tabs.find((one) => one === search.get("tab")) ?? "moves";
  const filter = search.get("q") ?? "";
  const only = search.get("only") === "moves" && comparison !== undefined;
  const set = useCallback(
    (name: string, value: string) =>
      setSearch(
        (old) => {
          const next = new URLSearchParams(old);
          if (value === "") next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );

  const shown = useMemo(() => {
    const parts = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const moving = new Set(only ? comparison?.moves.map((move) => foresight.columns.job[move.at]) : []);
    const wanted = (job: number) => {
      const { workflow, job: name } = foresight.columns.jobs[job] ?? { workflow: "", job: "" };
      const whole = `${workflow}/${name}`.toLowerCase();
      return parts.every((part) => whole.includes(part)) && (!only || moving.has(job));
    };
    const former = usual && comparison && { foresight: usual, comparison };
    return picture(foresight, wanted, former, { slots: t("simulate.slotsTaken") });
  }, [foresight, usual, comparison, filter, only, t]);

  const at = search.get("at") ?? "";
  const chosen = useMemo(() => (at === "" ? -1 : foresight.find(at)), [foresight, at]);
  const path = useMemo(() => (chosen < 0 ? [] : foresight.path(chosen)), [foresight, chosen]);
  const pending = useMemo(() => {
    const list = new Map<number, number>();
    for (const name of new Set([...ask.delay, ...playedAsk.delay].map((text) => text.slice(0, text.indexOf("="))))) {
      const by = delayOf(ask, name) - delayOf(playedAsk, name);
      const i = by !== 0 && name.includes("@") ? foresight.find(name) : -1;
      if (i >= 0) list.set(i, by);
    }
    return list;
  }, [ask, playedAsk, foresight]);

  const choose = (i: number, scroll = false) => {
    set("at", i < 0 ? "" : foresight.name(i));
    const bar = shown.bars[i] ?? -1;
    if (scroll && bar >= 0) chart.current?.show(bar);
  };
  const listed = (i: number) => choose(i, true);
  const delay = (i: number, by: number) => {
    const name = foresight.name(i);
    onChange(withDelay(ask, name, delayOf(playedAsk, name) + by));
  };
  const name = chosen < 0 ? "" : foresight.name(chosen);
  const counts = foresight.answer.counts;

  if (foresight.count === 0) {
    return (
      <div className="card">
        <p>{t("simulate.none")}</p>
        <p className="soft">{t("simulate.noneHint")}</p>
      </div>
    );
  }
  return (
    <div className="simulate">
      <div className="picture">
        <div className="row">
          <label className="row">
            <span className="hidden">{t("simulate.filter")}</span>
            <input
              type="text"
              data-search
              value={filter}
              placeholder={t("simulate.filter")}
              spellCheck={false}
              onChange={(event) => set("q", event.target.value)}
            />
          </label>
          <label className="row">
            <input
              type="checkbox"
              checked={only}
              disabled={comparison === undefined}
              onChange={(event) => set("only", event.target.checked ? "moves" : "")}
            />
            {t("simulate.only")}
          </label>
          <span className="soft small">
            {t("simulate.lanes", { n: shown.jobs.length, all: foresight.columns.jobs.length })} ·{" "}
            {t("simulate.zone", { zone: shown.data.zone })}
          </span>
        </div>
        {shown.jobs.length === 0 ? (
          <p className="card grow soft">{t("simulate.lanesNone")}</p>
        ) : (
          <Chart
            {...{ foresight, shown, comparison, words, chosen, path, pending }}
            onChoose={choose}
            onDelay={delay}
            onFail={(i) => onChange(withFailure(ask, foresight.name(i)))}
            onField={(i) => {
              choose(i);
              requestAnimationFrame(() => field.current?.select());
            }}
            handle={chart}
          />
        )}
        <p className="soft small">{t("simulate.keys")}</p>
      </div>
      <aside className="side stack">
        <div className="row counts-line">
          <strong>{t("simulate.ends", { succeeded: counts.succeeded + counts.skipped, n: counts.instances })}</strong>
          {counts.failed + counts.cancelled > 0 && (
            <span className="failed">{t("simulate.endsFailed", { n: counts.failed + counts.cancelled })}</span>
          )}
          {counts.unfinished > 0 && <span className="waiting">{t("simulate.endsOpen", { n: counts.unfinished })}</span>}
          {counts.late > 0 && <span className="lost">{t("simulate.endsLate", { n: counts.late })}</span>}
          <span className="soft small">{t("simulate.lastThing", { at: clock(foresight.answer.last.replace(/\.\d+/, "")) })}</span>
        </div>
        {at !== "" && chosen < 0 && <p className="soft">{t("simulate.chosenGone", { name: at })}</p>}
        {chosen < 0 ? (
          <p className="soft small">{t("simulate.chosenNone")}</p>
        ) : (
          <ChosenView
            {...{ foresight, words, path, usual, field }}
            i={chosen}
            move={comparison && moveOf(comparison, chosen)}
            attention={(foresight.answer.attention ?? []).find((one) => one.name === name)}
            delay={delayOf(ask, name)}
            fails={fails(ask, name)}
            fixed={foresight.backfill.has(chosen)}
            onDelay={(by) => {
              onChange(withDelay(ask, name, by));
              chart.current?.focus();
            }}
            onFail={() => onChange(withFailure(ask, name))}
            onChoose={listed}
          />
        )}
        <Outcome
          {...{ foresight, usual, comparison, words, tab }}
          changed={days.changed}
          asserts={ask.assert}
          onTab={(next) => set("tab", next === "moves" ? "" : next)}
          onChoose={listed}
          onAsserts={(list) => onChange({ ...ask, assert: list })}
        />
      </aside>
    </div>
  );
}
