import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { IncidentState } from "../incidents/state";
import { clocks } from "../parts/time";

type Incident = Schemas["Incident"];

/** Known tells of the incident of a cause, and who knows of it. */
export function Known({ incident }: { incident: Incident | undefined }) {
  const t = useT();
  if (incident === undefined) return null;
  return (
    <>
      <Link href={`/incidents/${incident.id}`}>
        {t("incident.title")} {incident.id}
      </Link>
      {incident.acknowledgedBy !== undefined ? (
        <span className="succeeded">{t("home.known", { who: incident.acknowledgedBy })}</span>
      ) : (
        <Link href={`/incidents/${incident.id}?do=ack`}>{t("incident.ack")}…</Link>
      )}
    </>
  );
}

/** OpenIncidents are those whose root is not among the causes that are shown already. */
export function OpenIncidents({ incidents, shown }: { incidents: Incident[]; shown: string[] }) {
  const t = useT();
  const others = incidents.filter((one) => !shown.includes(one.id));
  if (others.length === 0) return null;
  const clock = clocks(others.map((one) => one.openedAt));
  return (
    <section className="card">
      <h2>{t("home.incidents")}</h2>
      <ul className="lines">
        {others.slice(0, 10).map((one) => (
          <li key={one.id} className="row">
            <IncidentState incident={one} />
            <Link className="grow" href={`/incidents/${one.id}`}>
              {one.title}
            </Link>
            <span className="soft number small">{clock(one.openedAt)}</span>
          </li>
        ))}
        <li>
          <Link href="/incidents">{t("home.incidentsAll")}</Link>
        </li>
      </ul>
    </section>
  );
}
