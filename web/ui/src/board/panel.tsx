import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { plannedHref } from "../ahead/orders";
import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { between } from "../parts/time";
import { downstreamOf, upstreamOf } from "./edges";
import { type Day, type DayEdges, oneQuery } from "./queries";
import { type Row, rowOf } from "./rows";
import type { Words } from "./words";

const shown = 12;

/** Panel tells of one instance: why it is where it is, what it waits for by which rule, and what waits for it. */
export function Panel(props: {
  day: Day;
  row: Row;
  words: Words;
  edges: DayEdges | undefined;
  tries: Schemas["Attempt"][]; // of its run, when it took several
  onShow: (row: number) => void;
  onClose: () => void;
}) {
  const t = useT();
  const { day, row, words, edges } = props;
  const recorded = row.id !== "0";
  const one = useQuery({ ...oneQuery(row.id), enabled: recorded });
  return (
    <aside className="card panel" aria-label={t("board.panel")}>
      <div className="row">
        <StateMark state={recorded ? row.state : undefined} gate={row.state === "waiting" && row.gate !== "time" ? row.gate : undefined} />
        <span className="grow" />
        <button type="button" className="plain" onClick={props.onClose} aria-label={t("close")}>
          ✕
        </button>
      </div>
      <h2>{words.job(row)}</h2>
      <p className="number">{words.time(row.plan)}</p>
      <ul className="soft">
        {words.facts(row).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {one.data?.reason.text !== undefined && (
        <p>
          <strong>{t("board.why")}: </strong>
          {one.data.reason.text}
        </p>
      )}
      {props.tries.length > 0 && (
        <section>
          <h3>{t("board.attempts")}</h3>
          <ul className="tries">
            {props.tries.slice(-shown).map((one) => (
              <li key={one.id}>
                <StateMark state={one.outcome ?? "running"} />{" "}
                <span className="number">
                  {t("board.attempt", { n: one.number, at: words.time(Date.parse(one.startedAt)), what: one.step ?? one.text ?? "" })}{" "}
                  {between(one.startedAt, one.endedAt, t)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Link className="button" href={hrefOf(day, row, words)}>
        {t("board.open")}
      </Link>
      {edges && <Edges {...props} edges={edges} />}
    </aside>
  );
}

/** hrefOf is the page of an instance; of one that is not recorded yet, that of its due time. */
export function hrefOf(day: Day, row: Row, words: Words): string {
  if (row.id !== "0") return `/instances/${row.id}`;
  const job = day.jobs?.[row.job];
  if (job === undefined) return `/jobs?q=${encodeURIComponent(words.job(row))}`;
  return plannedHref(job.workflow, job.job, new Date(row.plan).toISOString().replace(".000Z", "Z"));
}

function Edges({ day, row, words, edges, onShow }: { day: Day; row: Row; words: Words; edges: DayEdges; onShow: (row: number) => void }) {
  const t = useT();
  const up = upstreamOf(day, edges, row.n);
  const down = downstreamOf(day, edges, row.n);
  return (
    <>
      <section>
        <h3>{t("board.waitsFor")}</h3>
        {up.length === 0 && <p className="soft">{t("board.waitsForNone")}</p>}
        <ul className="edges">
          {up.slice(0, shown).map((edge) => (
            <li key={edge.k}>
              <To words={words.range(edge)} row={edges.edges.last?.[edge.k] ?? -1} onShow={onShow} />
              <div className="soft small">{words.rule(edges, edge)}</div>
            </li>
          ))}
        </ul>
        <More n={up.length - shown} />
      </section>
      <section>
        <h3>{t("board.wantedBy")}</h3>
        {down.length === 0 && <p className="soft">{t("board.wantedByNone")}</p>}
        <ul className="edges">
          {down.slice(0, shown).map(({ told, to }) => (
            <li key={told.k}>
              <To words={words.name(rowOf(day, to))} row={to} onShow={onShow} />
              <div className="soft small">{words.rule(edges, told)}</div>
            </li>
          ))}
        </ul>
        <More n={down.length - shown} />
      </section>
    </>
  );
}

/** To is an instance that can be gone to in the picture, when it is of this day. */
function To({ words, row, onShow }: { words: string; row: number; onShow: (row: number) => void }) {
  if (row < 0) return <span>{words}</span>;
  return (
    <button type="button" className="plain to" onClick={() => onShow(row)}>
      {words}
    </button>
  );
}

function More({ n }: { n: number }) {
  const t = useT();
  return n > 0 ? <p className="soft">{t("board.more", { n })}</p> : null;
}
