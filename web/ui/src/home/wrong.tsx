import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { openIncidentsQuery } from "../admin/queries";
import { get } from "../api/client";
import { recentQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { CauseCard } from "../instance/cause";
import { Loaded } from "../parts/problem";
import { clock, span } from "../parts/time";
import { incidentOf, keeps, troubles } from "./causes";
import { Known, OpenIncidents } from "./incidents";
import { Short } from "./short";

const asked = 20; // overdue instances that are explained
const listed = 100;
const day = 86_400_000;

/** Wrong is what is wrong now: the root causes of what is overdue, with what waits for each, and what has failed. */
export function Wrong({ now }: { now: Date }) {
  const t = useT();
  const overdue = useQuery(recentQuery({ state: ["waiting"], to: now.toISOString() }, listed));
  const failed = useQuery(
    recentQuery(
      { state: ["failed", "lost"], from: new Date(now.getTime() - 7 * day).toISOString(), to: new Date(now.getTime() + day).toISOString() },
      listed,
    ),
  );
  const late = overdue.data?.items ?? [];
  const explained = useQueries({
    queries: late.slice(0, asked).map((one) => ({
      queryKey: ["causes", one.id],
      queryFn: ({ signal }: { signal: AbortSignal }) => get("/api/v1/instances/{id}/explain", { path: { id: one.id }, signal }),
      staleTime: 15_000,
      refetchInterval: 15_000,
    })),
  });
  const open = useQuery(openIncidentsQuery);
  const incidents = open.data?.items ?? [];
  const causes = troubles(explained.flatMap((query) => query.data ?? []));
  const names = new Set(causes.map((one) => one.cause.name));
  const others = (failed.data?.items ?? []).filter((one) => !names.has(one.name));
  const waiting = overdue.isPending || failed.isPending || explained.some((query) => query.isPending);
  return (
    <div className="stack">
      <section className="card">
        <h2>{t("home.wrong")}</h2>
        <Loaded query={overdue}>
          {() =>
            causes.length === 0 && !waiting ? (
              <p className={others.length + incidents.length === 0 ? "succeeded" : "soft"}>
                {t(others.length + incidents.length === 0 ? "home.nothing" : "home.noneWaits")}
              </p>
            ) : (
              causes.map(({ cause, blocked }) => (
                <CauseCard key={cause.name} cause={cause}>
                  <div className="row small">
                    {Date.parse(cause.planTime) < now.getTime() && (
                      <span className="soft">
                        {t("home.since", { span: span((now.getTime() - Date.parse(cause.planTime)) / 1000, t) })}
                      </span>
                    )}
                    <Known incident={incidentOf(cause, incidents)} />
                  </div>
                  {blocked.length > 0 && (
                    <div>
                      <strong>{t("home.blocks", { n: keeps(cause, blocked, incidents) })}</strong>
                      <ul>
                        {blocked.slice(0, 5).map((one) => (
                          <li key={one.id}>
                            <Link href={`/instances/${one.id}`}>
                              {one.workflow}/{one.job} {clock(one.planTime)}
                            </Link>
                          </li>
                        ))}
                        {keeps(cause, blocked, incidents) > 5 && (
                          <li className="soft">
                            {t("home.blockedMore", { n: keeps(cause, blocked, incidents) - Math.min(5, blocked.length) })}
                          </li>
                        )}
                      </ul>
                    </div>
                  )}
                </CauseCard>
              ))
            )
          }
        </Loaded>
        {waiting && <p className="soft">{t("page.loading")}</p>}
        {late.length > asked && (
          <p className="soft">{t("home.looked", { n: asked, more: `${late.length - asked}${overdue.data?.next ? "+" : ""}` })}</p>
        )}
      </section>
      <OpenIncidents incidents={incidents} shown={causes.flatMap(({ cause }) => incidentOf(cause, incidents)?.id ?? [])} />
      {others.length > 0 && (
        <section className="card">
          <h2>{t("home.failed")}</h2>
          <Short items={others.slice(0, 20)} none="" />
          {others.length > 20 && <Link href={`/instances?q=${encodeURIComponent("state:failed,lost")}`}>{t("more")}</Link>}
        </section>
      )}
    </div>
  );
}
