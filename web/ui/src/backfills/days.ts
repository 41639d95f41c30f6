/** Days are texts such as 2026-10-01, as the API has them; nothing here knows a time zone. */
export type Day = string;

const length = 86_400_000;

/** isDay reports whether a text is a day that the calendar has. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(number(text)) && fromNumber(number(text)) === text;
}

function number(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / length;
}

function fromNumber(n: number): Day {
  return new Date(n * length).toISOString().slice(0, 10);
}

export function plus(day: Day, days: number): Day {
  return fromNumber(number(day) + days);
}

export function plusMonths(day: Day, months: number): Day {
  const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
  const index = year * 12 + month - 1 + months;
  const begin = Date.UTC(Math.floor(index / 12), index % 12, 1);
  const last = new Date(Date.UTC(Math.floor(index / 12), (index % 12) + 1, 0)).getUTCDate();
  return new Date(begin + (Math.min(date, last) - 1) * length).toISOString().slice(0, 10);
}

/** today is the day by this machine's clock. */
export function today(now = new Date()): Day {
  return `${String(now.getFullYear()).padStart(4, "0")}-${String(now.getMonth() + 1).padStart(2, "0")}-${String(now.getDate()).padStart(2, "0")}`;
}

/** month is the weeks of the month of a day, from Monday on; days of other months fill the first and the last. */
export function month(day: Day): Day[][] {
  const first = `${day.slice(0, 7)}-01`;
  let at = plus(first, -weekday(first));
  const weeks: Day[][] = [];
  do {
    weeks.push(Array.from({ length: 7 }, (_, n) => plus(at, n)));
    at = plus(at, 7);
  } while (at.slice(0, 7) === first.slice(0, 7));
  return weeks;
}

/** weekday counts from Monday, 0, to Sunday, 6. */
export function weekday(day: Day): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** expand lists the days of a text such as 2026-10-01,2026-10-15..17; null where it is none. At most some, as nobody looks at more. */
export function expand(text: string, most = 4_000): Day[] | null {
  const days = new Set<Day>();
  for (const word of words(text)) {
    const span = ends(word);
    if (span === null) return null;
    for (let day = span[0]; day <= span[1] && days.size < most; day = plus(day, 1)) days.add(day);
  }
  return [...days].sort();
}

/** words are the days and ranges of a text, with commas or blanks between them. */
export function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

/** ends are the first and the last day of a word: a day, or a range of which the end may leave out what it shares with the begin. */
export function ends(word: string): [Day, Day] | null {
  const [from = "", rest] = word.split("..");
  if (!isDay(from)) return null;
  if (rest === undefined) return [from, from];
  const to = rest.length > 0 && rest.length < from.length ? from.slice(0, from.length - rest.length) + rest : rest;
  return isDay(to) && to >= from ? [from, to] : null;
}

/** compress writes days as expand reads them, neighbours as ranges. */
export function compress(days: Day[]): string {
  const sorted = [...new Set(days)].sort();
  const parts: string[] = [];
  for (let n = 0; n < sorted.length; ) {
    const from = sorted[n] as Day;
    let to = from;
    while (sorted[n + 1] === plus(to, 1)) to = sorted[++n] as Day;
    n++;
    if (to === from) parts.push(from);
    else parts.push(`${from}..${to.slice(0, 8) === from.slice(0, 8) ? to.slice(8) : to}`);
  }
  return parts.join(",");
}
