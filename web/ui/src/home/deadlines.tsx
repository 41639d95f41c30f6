import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { deadlinesQuery } from "../admin/queries";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { clock, clocks, span } from "../parts/time";

/** Deadlines lists what has missed its deadline or will, the latest first. */
export function Deadlines() {
  const t = useT();
  const query = useQuery(deadlinesQuery);
  return (
    <section className="card">
      <h2>{t("home.late")}</h2>
      <Loaded query={query}>
        {({ items: late, all }) =>
          (late ?? []).length === 0 ? (
            <p className="soft">{t("home.lateNone")}</p>
          ) : (
            <ul className="lines">
              {(late ?? []).map((one) => (
                <li key={`${one.id} ${one.incident}`}>
                  <div className="row">
                    <StateMark state={one.state} />
                    <Link className="grow" href={`/instances/${one.id}`}>
                      {one.workflow}/{one.job} {clock(one.planTime)}
                    </Link>
                    {one.lateSeconds > 0 && <strong className="failed">{t("home.lateBy", { span: span(one.lateSeconds, t) })}</strong>}
                  </div>
                  <p className="soft small">
                    {t("home.lateEnds", { at: clock(one.ends).slice(0, 16), deadline: zoned(late)(one.deadline) })}
                  </p>
                </li>
              ))}
              {all > (late ?? []).length && (
                <li>
                  <Link href="/incidents">{t("home.lateMore", { n: all - (late ?? []).length })}</Link>
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

const zoned = (late: { deadline: string }[] | null) => clocks((late ?? []).map((one) => one.deadline));
