import type { Schemas } from "../api/client";
import { Glyph } from "../design/state";
import { useT } from "../i18n/language";

export function incidentState(incident: Schemas["Incident"]): "open" | "known" | "over" {
  if (incident.closedAt !== undefined) return "over";
  return incident.acknowledgedBy === undefined ? "open" : "known";
}

const looks = { open: "failed", known: "lost", over: "succeeded" } as const;

/** IncidentState tells by shape, colour and word how an incident stands. */
export function IncidentState({ incident }: { incident: Schemas["Incident"] }) {
  const t = useT();
  const state = incidentState(incident);
  return (
    <span className={`state ${looks[state]}`}>
      <Glyph state={looks[state]} />
      {t(`incidents.state.${state}`)}
    </span>
  );
}
