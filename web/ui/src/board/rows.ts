import type { Order } from "../ahead/orders";
import type { Schemas } from "../api/client";
import type { Bar } from "../lanes/model";
import type { Day } from "./queries";

/** The flags of an instance, as the API adds them up. */
export const flag = { late: 1, frozen: 2, dryRun: 4, manual: 8, backfill: 16 } as const;

/** What the legend tells apart, in its order. Late is said beside a state. */
export const legend = ["failed", "lost", "running", "waiting", "planned", "succeeded", "forced", "skipped", "cancelled", "late"] as const;
export type Mark = (typeof legend)[number];

/** A Row is one instance of the day, out of its columns. Times are in milliseconds since the epoch. */
export interface Row {
  n: number;
  id: string; // "0": not recorded
  job: number;
  plan: number;
  started?: number;
  ended?: number;
  state: string;
  gate: string;
  flags: number;
  run?: number; // of an instance that was run again: which of its runs this is
  past?: boolean; // a run before the current one
  order?: Order; // what a person has ordered of it ahead
  after?: number; // where the bar of the run before this one ends
}

export function rowOf(day: Day, n: number, begin = Date.parse(day.from)): Row {
  const c = day.instances;
  const after = (seconds: number | null | undefined) => (seconds === null || seconds === undefined ? undefined : begin + seconds * 1000);
  return {
    n,
    id: c.id?.[n] ?? "0",
    job: c.job?.[n] ?? 0,
    plan: begin + (c.plan?.[n] ?? 0) * 1000,
    started: after(c.started?.[n]),
    ended: after(c.ended?.[n]),
    state: day.states?.[c.state?.[n] ?? 0] ?? "waiting",
    gate: day.gates?.[c.gate?.[n] ?? 0] ?? "",
    flags: c.flags?.[n] ?? 0,
  };
}

/** earlierOf are the runs of the day before the current ones, by the number of their instance: each as a row of its own, the first run first. */
export function earlierOf(day: Day, begin = Date.parse(day.from)): Map<number, Row[]> {
  const runs = new Map<number, Row[]>();
  const c = day.earlier;
  (c?.row ?? []).forEach((n, k) => {
    const list = runs.get(n) ?? [];
    list.push({
      ...rowOf(day, n, begin),
      started: begin + (c?.started?.[k] ?? 0) * 1000,
      ended: begin + (c?.ended?.[k] ?? 0) * 1000,
      state: day.states?.[c?.state?.[k] ?? 0] ?? "failed",
      gate: "",
      run: c?.number?.[k] ?? 1,
      past: true,
    });
    runs.set(n, list);
  });
  return runs;
}

/** triesOf are the attempts of a run of an instance when it took several, those of its error action left out. */
export function triesOf(row: Row | undefined, attempts: Schemas["Attempt"][]): Schemas["Attempt"][] {
  if (row === undefined) return [];
  const own = attempts.filter((one) => !one.errorAction && one.instance === row.id && one.run === (row.run ?? 1));
  return own.length > 1 ? own : [];
}

/** markOf is how the legend calls it: what waits for its time alone is planned. */
export function markOf(row: Row, now: number): Exclude<Mark, "late"> {
  if (row.state !== "waiting") return row.state as Exclude<Mark, "late">;
  return row.plan > now ? "planned" : "waiting";
}

/**
 * barOf puts an instance into the picture. What ran within the day stands where it ran, with a line from its plan time; what ran on another day, or before its
 * time, stands at its plan time for as long as it took. What is to come takes as long as past ones did; what waits begins now at the earliest. A run after
 * another one stands behind it, with a line from where that one ended.
 */
export function barOf(row: Row, lane: number, window: { from: number; to: number }, takes: number, now: number): Bar {
  const mark = markOf(row, now);
  const bar: Bar = { id: row.id === "0" ? `${row.job}@${row.plan}` : row.id, lane, from: row.plan, to: row.plan, look: mark };
  if (row.past) bar.id += `#${row.run}`;
  if (row.id === "0") {
    bar.look = "unplanned";
    bar.ghost = true;
  }
  if ((row.flags & flag.late) !== 0 && !row.past) bar.late = true;
  const { started, ended } = row;
  let since = row.after === undefined ? row.plan : Math.max(row.plan, Math.min(row.after, window.to));
  const waits = mark === "planned" || mark === "waiting";
  if (waits && !row.past && ((row.flags & flag.frozen) !== 0 || row.order?.frozen === true)) bar.sign = "frozen";
  else if (waits && row.order !== undefined) bar.sign = "ordered";
  const moved = waits && row.order?.notBefore !== undefined ? Date.parse(row.order.notBefore) : undefined;
  if (moved !== undefined) {
    bar.due = Math.min(since, moved);
    since = Math.max(window.from, Math.min(moved, window.to));
  }
  if (row.after !== undefined || moved !== undefined) {
    bar.from = since;
    bar.to = since;
  }
  if (mark === "planned") bar.to = since + takes;
  else if (mark === "waiting") {
    bar.to = Math.max(bar.from, Math.min(window.to, now)) + takes;
    bar.known = Math.min(window.to, now);
  } else if (started !== undefined) {
    const here = started >= row.plan - 60_000 && started < window.to;
    bar.from = here ? started : since;
    if (here) bar.due = since;
    if (ended !== undefined) bar.to = bar.from + Math.max(0, ended - started);
    else {
      bar.known = Math.max(bar.from, Math.min(now, window.to));
      bar.to = mark === "running" ? Math.max(bar.known, bar.from + takes) : bar.known;
    }
  } else if (row.after !== undefined && ended !== undefined) {
    bar.from = Math.max(since, Math.min(ended, window.to)); // a person settled it, then
    bar.to = bar.from;
    bar.due = since;
  }
  return bar;
}
