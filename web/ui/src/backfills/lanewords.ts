import type { Translate } from "../i18n/language";
import { span } from "../parts/time";
import type { Backfill } from "./queries";

/** laneWords says how a backfill is carried out, beside what is as it always is. */
export function laneWords(b: Backfill, t: Translate): string[] {
  const words: string[] = [];
  if (b.parallel) words.push(t("backfill.parallel", { n: b.parallel }));
  if (b.share) words.push(t("backfill.share", { share: b.share }));
  if (b.window) words.push(b.window);
  if (b.priority) words.push(t("backfill.priority", { n: b.priority }));
  if (b.order === "desc") words.push(t("wizard.order.desc"));
  if (b.byDay) words.push(t("wizard.byDay"));
  if (b.stopOnFailure) words.push(t("wizard.stop"));
  if (b.ignoreMissing) words.push(t("wizard.ignore"));
  if ((b.steps ?? []).length > 0) words.push(t("backfill.steps", { steps: (b.steps ?? []).join(", ") }));
  return words;
}

/** leftWords says how long a backfill will take yet; nothing when nobody knows, or it is over. */
export function leftWords(b: Backfill, t: Translate): string {
  if (b.secondsLeft === undefined || b.endedAt !== undefined || b.done === b.total) return "";
  return t("backfill.left", { span: span(b.secondsLeft, t) });
}

export const names = (b: Backfill, most: number): string =>
  [...b.jobs.slice(0, most).map((job) => `${job.workflow}/${job.job}`), ...(b.jobs.length > most ? [`+${b.jobs.length - most}`] : [])].join(
    ", ",
  );

/** dayRange is the first and the last day of a backfill, as its plan times have them in the zone of its jobs. */
export function dayRange(b: Pick<Backfill, "from" | "to">): string {
  const there = Date.parse(b.to.replace(/(Z|[+-]\d\d:\d\d)$/, "Z")) - 1; // its clock, as if it were UTC
  const [from, to] = [b.from.slice(0, 10), new Date(there).toISOString().slice(0, 10)];
  return from === to ? from : `${from} – ${to}`;
}
