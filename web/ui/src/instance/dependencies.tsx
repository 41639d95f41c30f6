import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { beside } from "../parts/time";

/** Dependencies are the waits of an instance: the rule in words, the window that was looked in, and the plan times in and about it. */
export function Dependencies({ explanation }: { explanation: Pick<Schemas["Explanation"], "dependencies"> }) {
  const t = useT();
  if (explanation.dependencies.length === 0) return <p className="soft">{t("instance.waitsNone")}</p>;
  return (
    <>
      {explanation.dependencies.map((wait) => (
        <section className="card stack" key={wait.n}>
          <div className="row">
            <h2>
              <Link href={`/jobs/${encodeURIComponent(wait.workflow)}/${encodeURIComponent(wait.job)}`}>
                {wait.workflow}/{wait.job}
              </Link>
            </h2>
            <span className={wait.satisfied ? "succeeded" : "failed"}>
              {wait.satisfied ? t("instance.satisfied") : t("instance.unsatisfied")}
            </span>
          </div>
          <p>{wait.text}</p>
          <p className="soft">
            {t("instance.rule", { rule: wait.rule, select: wait.select })}
            {wait.pair !== undefined && <> · {wait.pair}</>} ·{" "}
            {t("instance.window", { from: beside(wait.window.from, wait.first), to: beside(wait.window.to, wait.first) })}
          </p>
          {wait.candidates && <Candidates candidates={wait.candidates} first={wait.first} />}
        </section>
      ))}
    </>
  );
}

function Candidates({ candidates, first }: { candidates: Schemas["Candidates"]; first: string | undefined }) {
  const t = useT();
  return (
    <table>
      <caption className="hidden">{t("instance.candidates", { in: candidates.in, out: candidates.out })}</caption>
      <thead>
        <tr>
          <th scope="col">{t("column.planTime")}</th>
          <th scope="col">{t("column.state")}</th>
          <th scope="col">{t("column.reason")}</th>
        </tr>
      </thead>
      <tbody>
        {(candidates.items ?? []).map((one) => (
          <tr key={one.planTime}>
            <td className="number">
              {one.instance === undefined ? (
                beside(one.planTime, first)
              ) : (
                <Link href={`/instances/${one.instance}`}>{beside(one.planTime, first)}</Link>
              )}
            </td>
            <td>
              <StateMark state={one.state} />
            </td>
            <td>
              {one.in ? t("instance.in") : t("instance.out")}
              {one.why !== undefined && <span className="soft"> · {one.why}</span>}
            </td>
          </tr>
        ))}
        {(candidates.left ?? 0) > 0 && (
          <tr>
            <td colSpan={3} className="soft">
              {t("instance.left", { n: candidates.left ?? 0 })}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
