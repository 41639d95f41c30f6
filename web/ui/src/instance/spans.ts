import type { Schemas } from "../api/client";

type Step = Schemas["Step"];
type Attempt = Schemas["Attempt"];

/** A Run is a stretch in which an instance ran: from a start to the next one. Times are milliseconds. */
export interface Run {
  n: number;
  from: number;
  before: number; // when the next run began; Infinity of the last
}

/** runsOf are the runs of an instance, by its history; without one all its attempts are one run. */
export function runsOf(events: Schemas["Event"][], attempts: Attempt[], startedAt: string | undefined): Run[] {
  const starts = events.filter((event) => event.from === "waiting" && event.to === "running").map((event) => Date.parse(event.at));
  if (starts.length === 0) {
    const first = startedAt ?? attempts[0]?.startedAt;
    if (first === undefined) return [];
    starts.push(Date.parse(first));
  }
  return starts.map((from, i) => ({ n: i + 1, from, before: starts[i + 1] ?? Number.POSITIVE_INFINITY }));
}

/** inRun are the attempts of a run; what is older than the first is of the first. */
export function inRun(attempts: Attempt[], run: Run): Attempt[] {
  return attempts.filter((one) => {
    const at = Date.parse(one.startedAt);
    return at < run.before && (at >= run.from || run.n === 1);
  });
}

/**
 * A Bar is a part of a row: a time in which a step waited for its turn or for its next attempt, in which an attempt ran, or since which it watches for what it waits for, and holds
 * no slot.
 */
export interface Bar {
  kind: "queue" | "retry" | "run" | "watch";
  from: number;
  to: number;
  attempt?: Attempt;
}

/** A Row is a step in one run. */
export interface Row {
  step: Step | null; // null is the error action
  bars: Bar[];
  attempts: Attempt[];
  waited: number; // milliseconds, with waits between attempts
  ran: number;
}

/** shortest wait that is worth a bar: what passes between a row being written and its process being there is none. */
const noticed = 250;

/**
 * rowsOf are the rows of one run: for each step when it could have run, when it did, and when it waited between. now is the end of what has none.
 */
export function rowsOf(steps: Step[], attempts: Attempt[], run: Run, now: number, live: boolean): Row[] {
  const mine = inRun(attempts, run);
  const byStep = new Map<string, Attempt[]>();
  for (const one of mine) {
    const key = one.errorAction ? "\u0000error" : (one.step ?? "");
    byStep.set(key, [...(byStep.get(key) ?? []), one]);
  }
  const ends = new Map<string, number>(); // of what other steps may need: a step with its items
  for (const step of steps) {
    const end = endOf(byStep.get(step.step ?? "") ?? [], now);
    for (const name of [step.step ?? "", step.itemOf]) {
      if (name !== undefined && end !== undefined) ends.set(name, Math.max(end, ends.get(name) ?? 0));
    }
  }
  const needsOf = new Map(steps.map((step) => [step.step ?? "", step.needs ?? []]));
  /** settled is when a step was done with; one that passed without an attempt was as soon as what it needs. */
  const settled = (name: string, depth: number): number => {
    const end = ends.get(name);
    return end ?? (depth > steps.length ? run.from : readyAt(needsOf.get(name) ?? [], depth + 1));
  };
  const readyAt = (needs: string[], depth: number): number => Math.max(run.from, ...needs.map((need) => settled(need, depth)));
  const rows = steps.map((step): Row => {
    const list = byStep.get(step.step ?? "") ?? [];
    const ready = readyAt(needsOf.get(step.itemOf ?? step.step ?? "") ?? [], 0);
    return row(step, list, ready, now, live);
  });
  const errors = byStep.get("\u0000error");
  if (errors) rows.push(row(null, errors, Date.parse(errors[0]?.startedAt ?? ""), now, live));
  return rows;
}

function endOf(list: Attempt[], now: number): number | undefined {
  const last = list.at(-1);
  if (last === undefined) return undefined;
  return last.endedAt === undefined ? now : Date.parse(last.endedAt);
}

function row(step: Step | null, attempts: Attempt[], ready: number, now: number, live: boolean): Row {
  const bars: Bar[] = [];
  let at = ready;
  const wait = (kind: "queue" | "retry", to: number) => {
    if (to - at >= noticed) bars.push({ kind, from: at, to });
  };
  for (const [n, attempt] of attempts.entries()) {
    const from = Date.parse(attempt.startedAt);
    wait(n === 0 ? "queue" : "retry", from);
    at = attempt.endedAt === undefined ? Math.max(now, from) : Date.parse(attempt.endedAt);
    bars.push({ kind: "run", from, to: at, attempt });
  }
  if (live && step?.waits !== undefined) {
    const from = Date.parse(step.waits.since);
    wait(attempts.length === 0 ? "queue" : "retry", from);
    bars.push({ kind: "watch", from, to: Math.max(now, from) });
  }
  if (live && step?.state === "waiting" && step.notBefore !== undefined) wait("retry", Math.max(now, Date.parse(step.notBefore)));
  const sum = (ran: boolean) =>
    bars.reduce((total, bar) => total + ((bar.kind === "run" || bar.kind === "watch") === ran ? bar.to - bar.from : 0), 0);
  return { step, bars, attempts, waited: sum(false), ran: sum(true) };
}

/** ordered puts the items of a step behind it. */
export function ordered(steps: Step[]): Step[] {
  const items = new Map<string, Step[]>();
  for (const step of steps) {
    if (step.itemOf === undefined) continue;
    const list = items.get(step.itemOf);
    if (list === undefined) items.set(step.itemOf, [step]);
    else list.push(step);
  }
  return steps.filter((step) => step.itemOf === undefined).flatMap((step) => [step, ...(items.get(step.step ?? "") ?? [])]);
}

/** extent is from when to when the rows reach; at least a second. */
export function extent(rows: Row[], run: Run): [number, number] {
  const bars = rows.flatMap((one) => one.bars);
  const from = Math.min(run.from, ...bars.map((bar) => bar.from));
  return [from, Math.max(from + 1000, ...bars.map((bar) => bar.to))];
}

const strides = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800].map(
  (s) => s * 1000,
);

/** ticks are round times between two times, at most so many, by the clock of an offset in minutes. */
export function ticks([from, to]: [number, number], most: number, offset: number): number[] {
  const stride = strides.find((one) => (to - from) / one <= most) ?? Math.ceil((to - from) / most / 86_400_000) * 86_400_000;
  const shift = offset * 60_000;
  const list: number[] = [];
  for (let at = Math.ceil((from + shift) / stride) * stride - shift; at <= to; at += stride) list.push(at);
  return list;
}

/** minutesOf is the offset of a time of the API, in minutes. */
export function minutesOf(at: string): number {
  const found = /([+-])(\d{2}):(\d{2})$/.exec(at);
  if (!found) return 0;
  return (found[1] === "-" ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3]));
}

/** wall is a time as the clock of an offset shows it; with the seconds where stretches are short. */
export function wall(at: number, offset: number, seconds: boolean): string {
  return new Date(at + offset * 60_000).toISOString().slice(11, seconds ? 19 : 16);
}
