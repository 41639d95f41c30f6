import type { Translate } from "../i18n/language";

/**
 * clock is a time of the API as people read it, in the offset that the server wrote: the zone of the job. The seconds are left out where they are zero. Nothing is
 * converted, so that a page and the command line show the same.
 */
export function clock(at: string | undefined): string {
  if (at === undefined) return "";
  const parts = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2})/.exec(at);
  if (!parts) return at;
  return `${parts[1]} ${parts[2]}${parts[3] === ":00" ? "" : parts[3]}`;
}

/** offset is the offset of a time, such as +01:00; UTC for Z. */
export function offset(at: string): string {
  const found = /([+-]\d{2}:\d{2})$/.exec(at);
  return found?.[1] ?? "UTC";
}

/** beside is a time as people read it, with its offset where that of another time, which stands beside it, is a different one. */
export function beside(at: string, other: string | undefined): string {
  return other === undefined || offset(at) === offset(other) ? clock(at) : `${clock(at)} ${offset(at)}`;
}

/** stamp is a time with its offset: one of the server, which is of no job's zone. */
export function stamp(at: string | undefined): string {
  return at === undefined ? "" : `${clock(at)} ${offset(at)}`;
}

/** clocks shows the times of one list: with their offsets where those differ, so that what stands earlier is seen to be earlier. */
export function clocks(times: (string | undefined)[]): (at: string | undefined) => string {
  const offsets = new Set(times.flatMap((at) => (at === undefined ? [] : [offset(at)])));
  return offsets.size > 1 ? stamp : clock;
}

/** span is a duration in words, with its two largest units. */
export function span(seconds: number, t: Translate): string {
  if (seconds < 1) return t("unit.millisecond", { n: Math.max(0, Math.round(seconds * 1000)) });
  if (seconds < 10) return t("unit.second", { n: Math.round(seconds * 10) / 10 });
  const whole = Math.round(seconds);
  const units = [
    ["unit.day", 86_400],
    ["unit.hour", 3_600],
    ["unit.minute", 60],
    ["unit.second", 1],
  ] as const;
  const first = units.findIndex(([, size]) => whole >= size);
  const parts: string[] = [];
  let rest = whole;
  for (const [key, size] of units.slice(first, first + 2)) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(t(key, { n }));
  }
  return parts.join(" ");
}

/** between is how long it took from one time to another. */
export function between(from: string | undefined, to: string | undefined, t: Translate): string {
  if (from === undefined || to === undefined) return "";
  return span((Date.parse(to) - Date.parse(from)) / 1000, t);
}

/** bytes is a size in words. */
export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let at = 0;
  let size = n;
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  return `${at === 0 ? size : size.toFixed(1)} ${units[at]}`;
}
