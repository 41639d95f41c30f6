import { useT } from "../i18n/language";
import type { Form } from "./form";
import type { Filter } from "./planfile";
import type { Plan } from "./queries";
import { reasonHint, reasonWord } from "./reason";

/** Summary is what a plan comes to: in and out, by reason and by job; each is a filter of the list. */
export function Summary(props: {
  plan: Plan;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  onChange: (part: Partial<Form>) => void;
}) {
  const t = useT();
  const { plan, filter, onFilter } = props;
  const reasons = Object.entries(plan.why).sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
  const lacking = plan.why["upstream-missing"] ?? 0;
  return (
    <div className="columns">
      <section className="card stack">
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form */}
        <div className="row" role="group" aria-label={t("plan.counts")}>
          {(["", "in", "out"] as const).map((show) => (
            <button
              type="button"
              key={show}
              className="figure"
              aria-pressed={filter.show === show}
              onClick={() => onFilter({ ...filter, show })}
            >
              <strong className="number">{(show === "" ? plan.in + plan.out : plan[show]).toLocaleString("en")}</strong>
              {t(show === "" ? "plan.both" : `plan.${show}`)}
            </button>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form */}
        <div className="row" role="group" aria-label={t("plan.reasons")}>
          {reasons.map(([why, n]) => (
            <button
              type="button"
              key={why}
              title={reasonHint(why, t)}
              aria-pressed={filter.why === why}
              onClick={() => onFilter({ ...filter, why: filter.why === why ? "" : why })}
            >
              {reasonWord(why, t)} <span className="number soft">{n.toLocaleString("en")}</span>
            </button>
          ))}
        </div>
        {filter.why !== "" && <p className="soft small">{reasonHint(filter.why, t)}</p>}
        {lacking > 0 && (
          <div className="notice stack">
            <p>{t("plan.lacking", { n: lacking })}</p>
            <div className="row">
              {plan.request.upstream !== "all" && (
                <button type="button" onClick={() => props.onChange({ upstream: "all" })}>
                  {t("plan.takeUpstream")}
                </button>
              )}
              <button type="button" onClick={() => props.onChange({ ignoreMissing: true })}>
                {t("plan.ignore")}
              </button>
            </div>
          </div>
        )}
        {plan.in === 0 && <p className="notice">{t("plan.nothing")}</p>}
      </section>
      <section className="card planjobs">
        <table>
          <thead>
            <tr>
              <th scope="col">{t("column.job")}</th>
              <th scope="col" className="end">
                {t("plan.in")}
              </th>
              <th scope="col" className="end">
                {t("plan.out")}
              </th>
            </tr>
          </thead>
          <tbody>
            {plan.jobs.slice(0, 200).map((job) => {
              const name = `${job.workflow}/${job.job}`;
              return (
                <tr key={name} className={filter.job === name ? "marked" : ""}>
                  <td>
                    <button
                      type="button"
                      className="plain"
                      aria-pressed={filter.job === name}
                      onClick={() => onFilter({ ...filter, job: filter.job === name ? "" : name })}
                    >
                      {name}
                    </button>
                    {job.note !== undefined && <div className="soft small">{job.note}</div>}
                  </td>
                  <td className="end number">{job.in.toLocaleString("en")}</td>
                  <td className="end number soft">{job.out.toLocaleString("en")}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {plan.jobs.length > 200 && <p className="soft small">{t("operations.more", { n: plan.jobs.length - 200 })}</p>}
      </section>
    </div>
  );
}
