import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useT } from "../i18n/language";
import { ProblemView } from "../parts/problem";
import { clock, offset } from "../parts/time";
import { toast } from "../shell/toasts";
import { Apply } from "./apply";
import { Changes } from "./changes";
import { diffQuery, type PlanDiff, type Range, type Source } from "./queries";
import { markdown } from "./rows";

const spans = [1, 2, 7, 14, 31];

/** Diff is what loading the text would change, instance by instance, and the way to do it. A diff is that of one text: when that changes, it is made again. */
export function Diff(props: {
  source: Source;
  text: string;
  wrong: number;
  changed: boolean;
  onApplied: () => void;
  onProblems: () => void;
}) {
  const t = useT();
  const { source, text, wrong } = props;
  const [range, setRange] = useState<Range>({ from: "", days: 2, dropDue: false });
  const [compared, setCompared] = useState<{ text: string; range: Range } | null>(props.changed && wrong === 0 ? { text, range } : null);
  const query = useQuery({ ...diffQuery(source, compared?.text ?? "", compared?.range ?? range), enabled: compared !== null });
  const stale = compared !== null && (compared.text !== text || compared.range !== range);
  const compare = () => {
    if (!stale && compared !== null) void query.refetch();
    else setCompared({ text, range });
  };
  if (source.madeBy !== undefined) return <p className="soft">{t("definition.truth.azure")}</p>;
  return (
    <div className="stack fill">
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          compare();
        }}
      >
        <label className="row">
          {t("definition.from")}
          <input
            type="date"
            value={range.from}
            min={new Date().toISOString().slice(0, 10)}
            onChange={(event) => setRange({ ...range, from: event.target.value })}
          />
        </label>
        <label className="row">
          {t("definition.days")}
          <select value={range.days} onChange={(event) => setRange({ ...range, days: Number(event.target.value) })}>
            {spans.map((n) => (
              <option key={n}>{n}</option>
            ))}
          </select>
        </label>
        <button type="submit" className={compared === null || stale ? "primary" : ""} disabled={wrong > 0 || query.isFetching}>
          {t(compared === null ? "definition.compare" : "definition.again")}
        </button>
      </form>
      {wrong > 0 && (
        <p className="row">
          {t("definition.fixFirst", { n: wrong })}
          <button type="button" className="plain" onClick={props.onProblems}>
            {t("show")}
          </button>
        </p>
      )}
      {query.isFetching && <p className="soft">{t("definition.comparing")}</p>}
      {query.error && !query.isFetching && <ProblemView error={query.error} retry={compare} />}
      {query.data && compared && !query.isFetching && (
        <>
          {stale && <p className="notice">{t("definition.stale")}</p>}
          <Summary diff={query.data} />
          {(query.data.due.length > 0 || range.dropDue) && (
            <label className="check">
              <input type="checkbox" checked={range.dropDue} onChange={(event) => setRange({ ...range, dropDue: event.target.checked })} />
              {t("definition.dropDue")}
            </label>
          )}
          <Changes diff={query.data} />
          <Apply
            key={`${query.data.after.fingerprint} ${query.data.before.fingerprint}`}
            source={source}
            text={compared.text}
            diff={query.data}
            stale={stale}
            onApplied={props.onApplied}
            onAgain={compare}
          />
        </>
      )}
    </div>
  );
}

/** stamp is a time with its offset: the ends of a comparison may be in two zones. */
const stamp = (at: string) => `${clock(at).slice(0, 16)} ${offset(at)}`;

function Summary({ diff }: { diff: PlanDiff }) {
  const t = useT();
  return (
    <div className="stack tight">
      <div className="row">
        <strong className="grow">{diff.summary.text}</strong>
        {isSecureContext && (
          <button
            type="button"
            className="small"
            onClick={() => void navigator.clipboard.writeText(markdown(diff)).then(() => toast({ text: t("copied") }))}
          >
            {t("definition.markdown")}
          </button>
        )}
      </div>
      <p className="soft small number">{t("definition.over", { from: stamp(diff.from), to: stamp(diff.to), kept: diff.summary.kept })}</p>
      {diff.jobs.length > 0 && (
        <ul className="row small">
          {diff.jobs.slice(0, 30).map((one) => (
            <li key={`${one.workflow}/${one.job}`} className="chip">
              {one.job} <span className="soft">{[t(`definition.change.${one.change}`), ...(one.members ?? [])].join(" · ")}</span>
            </li>
          ))}
          {diff.jobs.length > 30 && <li className="soft">{t("operations.more", { n: diff.jobs.length - 30 })}</li>}
        </ul>
      )}
      {diff.summary.dropped > 0 && <p className="failed">{t("definition.lost", { n: diff.summary.dropped })}</p>}
    </div>
  );
}
