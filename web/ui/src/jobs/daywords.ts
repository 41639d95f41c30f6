import { known, type Translate } from "../i18n/language";
import { clock, span } from "../parts/time";
import type { JobDay } from "./days";

/** dayWords is a day of a job in one line. */
export function dayWords(date: string, one: JobDay | undefined, t: Translate): string {
  const parts: string[] = [];
  if (one !== undefined) {
    const states = (Object.entries(one.instances) as [string, number][]).filter(([, n]) => n > 0);
    for (const [state, n] of states) {
      const key = `state.${state}`;
      parts.push(`${n} ${known(key) ? t(key) : state}`);
    }
    if (one.reruns !== undefined) parts.push(t("days.reruns", { n: one.reruns }));
    if (one.atLeast) parts.push(t("days.atLeast"));
    if (one.planned !== undefined && one.planned > 0) parts.push(plannedWords(one, t));
    if (one.medianSeconds !== undefined) parts.push(t("days.median", { took: span(one.medianSeconds, t) }));
    if (one.startedAt !== undefined) parts.push(t("days.started", { at: clock(one.startedAt) }));
    if (one.endedAt !== undefined) parts.push(t("days.ended", { at: clock(one.endedAt) }));
    const hours = hoursOf(one);
    if (hours !== 24) parts.push(t("days.hours", { n: hours }));
  }
  return `${date}: ${parts.length === 0 ? t("days.nothing") : parts.join(", ")}`;
}

function plannedWords(one: JobDay, t: Translate): string {
  const times = (one.times ?? []).map((at) => at.slice(11, 16));
  if (times.length === 0) return t("days.planned", { n: one.planned ?? 0 });
  const shown = times.slice(0, 4).join(", ");
  const more = (one.planned ?? 0) - Math.min(4, times.length);
  return t("days.plannedAt", { times: more > 0 ? `${shown}, +${more}` : shown });
}

/** hoursOf is how long a day is where the job is: 23 or 25 hours where the clocks change. */
export function hoursOf(one: JobDay): number {
  return (Date.parse(one.to) - Date.parse(one.from)) / 3_600_000;
}
