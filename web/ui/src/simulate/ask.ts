import type { Schemas } from "../api/client";
import { iso, period } from "./period";

/** An Ask is a simulation as the address has it, every value as it is written there: whether it means something is for the server to say, which names every mistake. */
export interface Ask {
  date: string; // "" is tomorrow
  days: string;
  slots: string; // "" is the server's
  guess: string; // how long a job of which nothing is known takes
  history: boolean; // go by how long past instances took
  pool: string[]; // NAME=N
  duration: string[]; // JOB=DURATION
  delay: string[]; // JOB[@TIME]=DURATION
  fail: string[]; // JOB[@TIME][=N]
  assert: string[];
}

/** The parameters of which there may be several. */
export const lists = ["delay", "fail", "duration", "pool", "assert"] as const;
export type List = (typeof lists)[number];

export function readAsk(search: URLSearchParams): Ask {
  const all = (name: List) => search.getAll(name).filter((one) => one.trim() !== "");
  return {
    date: search.get("date") ?? "",
    days: search.get("days") ?? "",
    slots: search.get("slots") ?? "",
    guess: search.get("guess") ?? "",
    history: search.get("history") !== "none",
    pool: all("pool"),
    duration: all("duration"),
    delay: all("delay"),
    fail: all("fail"),
    assert: all("assert"),
  };
}

/** writeAsk puts an ask into an address; what is not of the ask stays as it is. */
export function writeAsk(search: URLSearchParams, ask: Ask): URLSearchParams {
  const next = new URLSearchParams(search);
  const one = { date: ask.date, days: ask.days, slots: ask.slots, guess: ask.guess, history: ask.history ? "" : "none" };
  for (const [name, value] of Object.entries(one)) {
    next.delete(name);
    if (value !== "") next.set(name, value);
  }
  for (const name of lists) {
    next.delete(name);
    for (const value of ask[name]) next.append(name, value);
  }
  return next;
}

/** unchanged is the same day as it is expected: what changes are held against. */
export function unchanged(ask: Ask): Ask {
  return { ...ask, slots: "", pool: [], duration: [], delay: [], fail: [], assert: [] };
}

/** The instances of a saved backfill, with the name of the file that they came from. They are too long for an address. */
export interface Beside {
  file: string;
  refs: Schemas["SimulatedRef"][];
}

/** bodyOf is the request of the API. */
export function bodyOf(ask: Ask, beside: Beside | undefined, known?: Schemas["SimulatedDuration"][] | null): Schemas["SimulateRequest"] {
  const pairs = (list: string[]) => list.map(cut);
  return {
    columns: true,
    ...(ask.date === "" ? {} : { date: ask.date }),
    ...(ask.days === "" ? {} : { days: Number(ask.days) }),
    ...(ask.slots === "" ? {} : { slots: Number(ask.slots) }),
    ...(ask.guess === "" ? {} : { defaultDuration: ask.guess }),
    ...(ask.history ? {} : { noHistory: true }),
    ...(ask.pool.length === 0 ? {} : { pools: Object.fromEntries(pairs(ask.pool).map(([name, size]) => [name, Number(size)])) }),
    ...(ask.duration.length === 0 ? {} : { durations: Object.fromEntries(pairs(ask.duration)) }),
    ...(ask.delay.length === 0 ? {} : { delay: ask.delay }),
    ...(ask.fail.length === 0 ? {} : { fail: ask.fail }),
    ...(ask.assert.length === 0 ? {} : { assert: ask.assert }),
    ...(beside === undefined ? {} : { withBackfill: beside.refs }),
    ...(known ? { known } : {}),
  };
}

/** commandOf is the command line that plays the same on the server of the page. */
export function commandOf(ask: Ask, date: string, beside: Beside | undefined): string {
  const words = ["almanac", "simulate"];
  const flag = (name: string, value: string) => {
    if (value !== "") words.push(`--${name}`, value);
  };
  flag("date", ask.date === "" ? date : ask.date);
  flag("days", ask.days);
  flag("slots", ask.slots);
  flag("default-duration", ask.guess);
  flag("durations", ask.history ? "" : "none");
  for (const name of lists) for (const value of ask[name]) flag(name, value);
  flag("with-backfill", beside?.file ?? "");
  return words.map(quoted).join(" ");
}

/** quoted is a word as every shell takes it for itself. A value that begins with a dash cannot be taken for a flag: it stands behind one. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** cut divides NAME=VALUE at its first equals sign. */
export function cut(text: string): [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** delayOf is by how much an instance, by its whole name, is delayed, in milliseconds. */
export function delayOf(ask: Ask, name: string): number {
  return ask.delay.reduce((sum, text) => (cut(text)[0] === name ? sum + (period(cut(text)[1]) ?? 0) : sum), 0);
}

/** withDelay is the ask with an instance delayed by so much; by nothing takes the delay away. */
export function withDelay(ask: Ask, name: string, by: number): Ask {
  const delay = ask.delay.filter((text) => cut(text)[0] !== name);
  if (by >= 1_000) delay.push(`${name}=${iso(by)}`);
  return { ...ask, delay };
}

export function fails(ask: Ask, name: string): boolean {
  return ask.fail.some((text) => cut(text)[0] === name);
}

/** withFailure has an instance fail, or not fail any more. */
export function withFailure(ask: Ask, name: string): Ask {
  const fail = ask.fail.filter((text) => cut(text)[0] !== name);
  if (fail.length === ask.fail.length) fail.push(name);
  return { ...ask, fail };
}

/** added puts a value into a list, once. */
export function added(ask: Ask, list: List, value: string): Ask {
  return ask[list].includes(value) ? ask : { ...ask, [list]: [...ask[list], value] };
}

export function removed(ask: Ask, list: List, value: string): Ask {
  return { ...ask, [list]: ask[list].filter((one) => one !== value) };
}

/** readBackfill reads a saved plan of a backfill, or a list of {job, planTime}; undefined is neither. */
export function readBackfill(text: string): Schemas["SimulatedRef"][] | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  const plan = typeof read === "object" && read !== null && "instances" in read;
  const list: unknown = plan ? (read as { instances: unknown }).instances : read;
  if (!Array.isArray(list)) return undefined;
  const refs: Schemas["SimulatedRef"][] = [];
  for (const one of list as unknown[]) {
    if (typeof one !== "object" || one === null) return undefined;
    const { job, planTime, in: within } = one as { job?: unknown; planTime?: unknown; in?: unknown };
    if (typeof job !== "string" || typeof planTime !== "string") return undefined;
    if (!plan || within === true) refs.push({ job, planTime });
  }
  return refs;
}
