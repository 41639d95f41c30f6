import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { changesQuery } from "../admin/queries";
import type { Schemas } from "../api/client";
import { known, type Translate, useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { stamp } from "../parts/time";

const listed = 8;

/** Changed is what people changed in the last 24 hours: definitions with their versions, operations, backfills, tokens. */
export function Changed() {
  const t = useT();
  const query = useQuery(changesQuery(listed));
  return (
    <section className="card">
      <h2>{t("home.changed")}</h2>
      <Loaded query={query}>
        {({ items, next }) =>
          (items ?? []).length === 0 && next === undefined ? (
            <p className="soft">{t("home.changedNone")}</p>
          ) : (
            <ul className="lines">
              {(items ?? []).map((deed) => (
                <li key={deed.id}>
                  <div className="row">
                    <strong>{deedName(deed, t)}</strong>
                    <span className="grow">{deed.actor ?? t("deed.server")}</span>
                    <span className="soft number small">{stamp(deed.at)}</span>
                  </div>
                  <About deed={deed} />
                </li>
              ))}
              <li>
                <Link href="/admin?tab=audit">{t("home.changedAll")}</Link>
              </li>
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

/** deedName is what it was about; of an operation, which. */
function deedName(deed: Schemas["Deed"], t: Translate): string {
  const operation = `op.${deed.action}`;
  if (deed.kind === "operation" && known(operation)) return t(operation);
  if (deed.kind === "operation" && deed.action === "trigger") return t("job.trigger");
  return t(`deed.${deed.kind}`);
}

function About({ deed }: { deed: Schemas["Deed"] }) {
  const t = useT();
  const jobs = deed.jobs ?? [];
  return (
    <p className="small">
      <span className="soft">{deed.text}</span>{" "}
      {deed.instance !== undefined ? (
        <Link href={`/instances/${deed.instance.id}?tab=history`}>{deed.instance.name ?? deed.instance.id}</Link>
      ) : (
        jobs.slice(0, 3).map((job, at) => (
          <span key={`${job.workflow}/${job.job}`}>
            {at > 0 && ", "}
            <Link
              href={
                deed.kind === "definitions" ? definitionOf(job) : `/jobs/${encodeURIComponent(job.workflow)}/${encodeURIComponent(job.job)}`
              }
            >
              {job.workflow}/{job.job}
            </Link>
          </span>
        ))
      )}
      {deed.instance === undefined && jobs.length > 3 && <span className="soft"> {t("home.more", { n: jobs.length - 3 })}</span>}
    </p>
  );
}

/** definitionOf leads to where the definition of a job stands, marked there. */
function definitionOf(job: { workflow: string; job: string }): string {
  return `/definitions/${encodeURIComponent(job.workflow)}?job=${encodeURIComponent(job.job)}`;
}
