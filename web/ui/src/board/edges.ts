import type { Edge } from "../lanes/model";
import type { Picture } from "./picture";
import type { Day, DayEdges } from "./queries";

/** A Joint is the edges of a picture, each with its number in the answer. */
export interface Joint {
  edges: Edge[];
  numbers: Map<Edge, number>;
}

/** jointOf puts the edges of a day between the bars of its picture. Those of which an end is not shown are left out. */
export function jointOf(picture: Picture, day: Day, answer: DayEdges): Joint {
  const joint: Joint = { edges: [], numbers: new Map() };
  if (answer.plan !== day.plan) return joint; // the numbers are of another day
  const standing = new Standing(day);
  const c = answer.edges;
  for (let k = 0; k < (c.to?.length ?? 0); k++) {
    const [first, last, to] = [c.from?.[k] ?? -1, c.last?.[k] ?? -1, c.to?.[k] ?? -1];
    const [from, until, target] = [first, last, to].map((n) => picture.barOfRow[n] ?? -1) as [number, number, number];
    if (from < 0 || until < 0 || target < 0) continue;
    const edge: Edge = { from, last: until, to: target, count: c.count?.[k] ?? 1, look: standing.look(first, last) };
    joint.edges.push(edge);
    joint.numbers.set(edge, k);
  }
  return joint;
}

/** A Standing knows of each range of a job's instances whether all of it satisfies, without looking at all of it. */
class Standing {
  readonly #job: readonly number[];
  readonly #place: Int32Array; // of each row, among those of its job
  readonly #open: number[][]; // of each job: how many before a place do not satisfy
  readonly #failed: number[][];

  constructor(day: Day) {
    const c = day.instances;
    this.#job = c.job ?? [];
    this.#place = new Int32Array(this.#job.length);
    this.#open = Array.from({ length: day.jobs?.length ?? 0 }, () => [0]);
    this.#failed = Array.from({ length: day.jobs?.length ?? 0 }, () => [0]);
    const states = day.states ?? [];
    for (let n = 0; n < this.#job.length; n++) {
      const [open, failed] = [this.#open[this.#job[n] ?? -1], this.#failed[this.#job[n] ?? -1]];
      if (open === undefined || failed === undefined) continue;
      const state = states[c.state?.[n] ?? 0] ?? "";
      this.#place[n] = open.length - 1;
      open.push((open.at(-1) ?? 0) + (["succeeded", "forced", "skipped"].includes(state) ? 0 : 1));
      failed.push((failed.at(-1) ?? 0) + (["failed", "lost", "cancelled"].includes(state) ? 1 : 0));
    }
  }

  look(first: number, last: number): "satisfied" | "open" | "critical" {
    const job = this.#job[first] ?? -1;
    const [from, to] = [this.#place[first] ?? 0, (this.#place[last] ?? 0) + 1];
    const count = (of: number[] | undefined) => (of?.[to] ?? 0) - (of?.[from] ?? 0);
    if (count(this.#failed[job]) > 0) return "critical";
    return count(this.#open[job]) > 0 ? "open" : "satisfied";
  }
}

/** A Told is one edge as words take it. */
export interface Told {
  k: number;
  rule: number;
  workflow: string;
  job: string;
  first: number; // milliseconds since the epoch
  last: number;
  count: number;
  window?: [number, number];
}

/** upstreamOf lists what a row of the day waits for, also what lies outside of the day. */
export function upstreamOf(day: Day, answer: DayEdges, row: number): Told[] {
  return numbered(answer, (k) => answer.edges.to?.[k] === row).map((k) => told(day, answer, k));
}

/** downstreamOf lists the edges by which others of the day wait for a row. */
export function downstreamOf(day: Day, answer: DayEdges, row: number): { told: Told; to: number }[] {
  const c = answer.edges;
  const job = day.instances.job?.[row];
  const list = numbered(answer, (k) => {
    const from = c.from?.[k] ?? -1;
    return from >= 0 && from <= row && row <= (c.last?.[k] ?? -1) && day.instances.job?.[from] === job && c.to?.[k] !== row;
  });
  return list.map((k) => ({ told: told(day, answer, k), to: c.to?.[k] ?? 0 }));
}

function numbered(answer: DayEdges, wanted: (k: number) => boolean): number[] {
  const list: number[] = [];
  for (let k = 0; k < (answer.edges.to?.length ?? 0); k++) if (wanted(k)) list.push(k);
  return list;
}

export function told(day: Day, answer: DayEdges, k: number): Told {
  const c = answer.edges;
  const begin = Date.parse(day.from);
  const at = (seconds: number | null | undefined) => begin + (seconds ?? 0) * 1000;
  const rule = answer.rules?.[c.rule?.[k] ?? 0];
  const [from, to] = [c.windowFrom?.[k], c.windowTo?.[k]];
  return {
    k,
    rule: c.rule?.[k] ?? 0,
    workflow: rule?.workflow ?? "",
    job: rule?.upstream ?? "",
    first: at(c.first?.[k]),
    last: at(c.final?.[k]),
    count: c.count?.[k] ?? 0,
    ...(typeof from === "number" && typeof to === "number" ? { window: [at(from), at(to)] } : {}),
  };
}
