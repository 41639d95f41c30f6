import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Link, useParams } from "wouter";
import { Ordered } from "../ahead/ordered";
import { plannedHref, useOrders } from "../ahead/orders";
import { PauseButton, Paused } from "../ahead/pauses";
import type { Schemas } from "../api/client";
import { jobQuery, recentQuery, versionsQuery } from "../api/queries";
import { StateMark } from "../design/state";
import { known, useLanguage, useT } from "../i18n/language";
import { Act } from "../parts/act";
import { Boundary } from "../parts/boundary";
import { code } from "../parts/code";
import { Loaded } from "../parts/problem";
import { between, clock } from "../parts/time";
import { Trigger } from "./trigger";
import { recurrenceWords } from "./words";

const Past = lazy(() => code(() => import("./past")));

/** JobPage is one job: when it is due, what it waits for, how it went of late, and its definition. */
export default function JobPage() {
  const { workflow, job } = useParams<{ workflow: string; job: string }>();
  const query = useQuery(jobQuery(workflow, job));
  return <Loaded query={query}>{(detail) => <Shown detail={detail} />}</Loaded>;
}

function Shown({ detail }: { detail: Schemas["JobDetail"] }) {
  const t = useT();
  const [triggering, setTriggering] = useState(false);
  return (
    <>
      <header className="stack">
        <div className="row">
          <h1>
            {detail.workflow}/{detail.job}
          </h1>
          {detail.disabled && <span className="soft">{t("jobs.disabled")}</span>}
          <span className="grow" />
          {!detail.removed && !detail.disabled && (
            <Link className="button" href={`/backfills/new?job=${encodeURIComponent(`${detail.workflow}/${detail.job}`)}`}>
              {t("backfill.of")}
            </Link>
          )}
          {!detail.removed && detail.paused === undefined && <PauseButton workflow={detail.workflow} job={detail.job} />}
          {!detail.removed && (
            <Act needs="operator" className="primary" onClick={() => setTriggering(true)}>
              {t("job.trigger")}
            </Act>
          )}
        </div>
        {detail.paused !== undefined && <Paused pause={detail.paused} />}
        {detail.removed && <p className="failed">{t("job.gone")}</p>}
        {detail.definitionError !== undefined && <p className="failed">{t("job.definitionError", { why: detail.definitionError })}</p>}
        {detail.description !== undefined && <p>{detail.description}</p>}
      </header>
      <Boundary words={t("error.crash")} reset="">
        <Suspense fallback={<p className="soft">{t("page.loading")}</p>}>
          <Past detail={detail} />
        </Suspense>
      </Boundary>
      <div className="grid">
        <div className="stack">
          <When detail={detail} />
          <Depends detail={detail} />
          <Params detail={detail} />
        </div>
        <div className="stack">
          <Recent detail={detail} />
          <Definition detail={detail} />
        </div>
      </div>
      {triggering && <Trigger detail={detail} onClose={() => setTriggering(false)} />}
    </>
  );
}

function When({ detail }: { detail: Schemas["JobDetail"] }) {
  const t = useT();
  const { language } = useLanguage();
  const orderOf = useOrders();
  const period = `period.${detail.period ?? ""}`;
  const means = `${period}.means`;
  return (
    <section className="card">
      <h2>{t("job.when")}</h2>
      <dl className="facts">
        <dt>{t("job.when")}</dt>
        <dd>{recurrenceWords(language, detail.recurrence, detail.definition, detail.job, detail.timeZone)}</dd>
        {known(period) && known(means) && (
          <>
            <dt>{t("period.title")}</dt>
            <dd>
              {t(period)}
              <div className="soft">{t(means)}</div>
            </dd>
          </>
        )}
        <dt>{t("job.zone")}</dt>
        <dd>{detail.timeZone}</dd>
        <dt>{t("job.next")}</dt>
        <dd className="number">
          {(detail.next ?? []).length === 0
            ? t("job.nextNone")
            : (detail.next ?? []).map((at) => (
                <div key={at} className="job-due">
                  <Link href={plannedHref(detail.workflow, detail.job, at)}>{clock(at)}</Link>{" "}
                  <Ordered order={orderOf(detail.workflow, detail.job, at)} />
                </div>
              ))}
        </dd>
        {detail.tags !== undefined && detail.tags.length > 0 && (
          <>
            <dt>{t("job.tags")}</dt>
            <dd>{detail.tags.join(", ")}</dd>
          </>
        )}
      </dl>
      {detail.confirm && <p>{t("job.confirm")}</p>}
      {detail.concurrency !== undefined && <p className="soft">{t("job.concurrency", { n: detail.concurrency })}</p>}
    </section>
  );
}

function Depends({ detail }: { detail: Schemas["JobDetail"] }) {
  const t = useT();
  const list = detail.dependsOn ?? [];
  return (
    <section className="card">
      <h2>{t("job.depends")}</h2>
      {list.length === 0 ? (
        <p className="soft">{t("job.dependsNone")}</p>
      ) : (
        <ul>
          {list.map((one, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same job may be waited for in two ways; the order is the definition's
            <li key={n}>
              {one.self ? (
                t("job.self")
              ) : (
                <Link href={`/jobs/${encodeURIComponent(one.workflow)}/${encodeURIComponent(one.job)}`}>
                  {one.workflow}/{one.job}
                </Link>
              )}{" "}
              <span className="soft">
                {[
                  one.policy,
                  one.nearest && t("job.nearest"),
                  one.previous !== undefined && t("job.previous", { n: one.previous }),
                  one.select !== "default" && one.select,
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Params({ detail }: { detail: Schemas["JobDetail"] }) {
  const t = useT();
  if (detail.params === undefined || detail.params.length === 0) return null;
  return (
    <section className="card">
      <h2>{t("job.params")}</h2>
      <dl className="facts">
        {detail.params.map((one) => (
          <div key={one.name} className="fact">
            <dt className="mono">{one.name}</dt>
            <dd>
              {one.type}
              {one.required && ` · ${t("job.required")}`}
              {one.default !== undefined && ` · ${one.default}`}
              {one.enum !== undefined && ` · ${one.enum.join(" | ")}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Recent({ detail }: { detail: Schemas["JobDetail"] }) {
  const t = useT();
  // Up to now by this machine's clock; what is planned beyond stands under "next".
  const [to] = useState(() => new Date(Date.now() + 60_000).toISOString());
  const query = useQuery(recentQuery({ workflow: detail.workflow, job: detail.job, to }, 20));
  return (
    <section className="card">
      <h2>{t("job.recent")}</h2>
      <Loaded query={query}>
        {({ items }) =>
          (items ?? []).length === 0 ? (
            <p className="soft">{t("job.recentNone")}</p>
          ) : (
            <table>
              <tbody>
                {(items ?? []).map((one) => (
                  <tr key={one.id}>
                    <td className="number">
                      <Link href={`/instances/${one.id}`}>{clock(one.planTime)}</Link>
                    </td>
                    <td>
                      <StateMark state={one.state} gate={one.gate} />
                    </td>
                    <td className="soft number">{between(one.startedAt, one.endedAt, t)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </section>
  );
}

function Definition({ detail }: { detail: Schemas["JobDetail"] }) {
  const t = useT();
  const versions = useQuery(versionsQuery(detail.workflow, detail.job));
  return (
    <>
      <section className="card">
        <h2>{t("job.versions")}</h2>
        <Loaded query={versions}>
          {({ items }) => (
            <ul>
              {(items ?? []).map((one) => (
                <li key={one.id} className="row">
                  <span className="number">{clock(one.createdAt)}</span>
                  <span className="soft">{one.id}</span>
                  {one.current && <span className="succeeded">{t("job.current")}</span>}
                  <span className="soft small">{one.folder}</span>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </section>
      <section className="card">
        <div className="row">
          <h2 className="grow">{t("job.definition")}</h2>
          <Link href={`/definitions/${encodeURIComponent(detail.workflow)}?job=${encodeURIComponent(detail.job)}`}>{t("job.source")}</Link>
        </div>
        <pre>{JSON.stringify(detail.definition, null, 2)}</pre>
      </section>
    </>
  );
}
