import type { Bar, Edge, Lane, LanesData, Strip } from "../lanes/model";
import type { Comparison } from "./compare";
import type { Foresight } from "./foresight";

/** A Picture is a foresight as lanes: a lane for each job, those of a workflow together, in the order in which they begin. */
export interface Picture {
  data: LanesData;
  instances: Int32Array; // of each bar, the place of its instance
  bars: Int32Array; // of each instance, its bar; -1 of one whose lane is left out
  jobs: Int32Array; // of each lane, the place of its job
}

/** picture draws those jobs of a foresight that are wanted, and beside each bar where it was in a former one. */
export function picture(
  f: Foresight,
  wanted: (job: number) => boolean,
  former: { foresight: Foresight; comparison: Comparison } | undefined,
  words: { slots: string },
): Picture {
  const { lanes, laneOf, jobs } = lanesOf(f, wanted);
  const instances = new Int32Array(f.count);
  const numbers = new Int32Array(f.count).fill(-1);
  const list: Bar[] = [];
  for (let i = 0; i < f.count; i++) {
    const lane = laneOf[f.columns.job[i] ?? 0] ?? -1;
    if (lane < 0) continue;
    const bar = barOf(f, i, lane);
    const was = former?.comparison.was[i] ?? -1;
    if (former && was >= 0) {
      const before = span(former.foresight, was);
      if (before.from !== bar.from || before.to !== bar.to) {
        bar.before = before;
        if (bar.look === "succeeded") bar.look = "moved";
      }
    }
    numbers[i] = list.length;
    instances[list.length] = i;
    list.push(bar);
  }
  const { from, to } = f;
  const data: LanesData = { from, to: Math.max(to, from + 60_000), zone: zoneOf(f), lanes, bars: list, strip: stripOf(f, words.slots) };
  const strip = former && stripOf(former.foresight, words.slots);
  if (data.strip && strip) data.strip.before = strip.steps;
  return { data, instances: instances.subarray(0, list.length), bars: numbers, jobs };
}

/** zoneOf is the zone of most jobs: that of the hours above the lanes. */
export function zoneOf(f: Foresight): string {
  const count = new Map<string, number>();
  for (const job of f.columns.jobs) count.set(job.timeZone, (count.get(job.timeZone) ?? 0) + 1);
  return [...count].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))[0]?.[0] ?? "UTC";
}

function lanesOf(f: Foresight, wanted: (job: number) => boolean) {
  const first = new Float64Array(f.columns.jobs.length).fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < f.count; i++) {
    const job = f.columns.job[i] ?? 0;
    first[job] = Math.min(first[job] ?? 0, f.planTime(i));
  }
  const begins = new Map<string, number>(); // of each workflow
  f.columns.jobs.forEach(({ workflow }, job) => {
    begins.set(workflow, Math.min(begins.get(workflow) ?? Number.POSITIVE_INFINITY, first[job] ?? 0));
  });
  const order = f.columns.jobs.map((_, job) => job).filter(wanted);
  order.sort((a, b) => {
    const [x, y] = [f.columns.jobs[a], f.columns.jobs[b]];
    if (!x || !y) return 0;
    if (x.workflow !== y.workflow)
      return (begins.get(x.workflow) ?? 0) - (begins.get(y.workflow) ?? 0) || (x.workflow < y.workflow ? -1 : 1);
    return (first[a] ?? 0) - (first[b] ?? 0) || a - b;
  });
  const laneOf = new Int32Array(f.columns.jobs.length).fill(-1);
  const lanes: Lane[] = order.map((job, lane) => {
    laneOf[job] = lane;
    const { workflow = "", job: label = "" } = f.columns.jobs[job] ?? {};
    return { label, group: workflow };
  });
  return { lanes, laneOf, jobs: Int32Array.from(order) };
}

/** span is from where to where a bar goes: what never starts waits to the end of the picture, what never ends runs so far. */
function span(f: Foresight, i: number): { from: number; to: number } {
  const [start, end] = [f.start(i), f.end(i)];
  const from = start ?? end ?? Math.max(f.planTime(i), f.from);
  return { from, to: Math.max(from, end ?? f.to) };
}

function barOf(f: Foresight, i: number, lane: number): Bar {
  const { from, to } = span(f, i);
  const bar: Bar = { id: `${f.columns.job[i]} ${f.columns.planTime[i]} ${f.backfill.has(i) ? 1 : 0}`, lane, from, to, look: f.state(i) };
  const due = Math.max(f.planTime(i), f.from);
  if (f.held(i) > 0 && due < from) bar.due = due;
  if (f.late.has(i)) bar.late = true;
  const deadline = f.deadline(i);
  if (deadline !== undefined) bar.deadline = deadline;
  if (f.start(i) !== undefined && f.end(i) !== undefined && !f.backfill.has(i)) bar.drag = "both";
  return bar;
}

/** stripOf is how many slots are taken: of each bucket the most at once. */
function stripOf(f: Foresight, label: string): Strip | undefined {
  const slots = (f.answer.usage ?? []).find((one) => one.pool === undefined);
  if (slots === undefined) return undefined;
  const steps = (slots.buckets ?? []).map((bucket) => ({ at: Date.parse(bucket.from), value: bucket.peak }));
  const end = (steps.at(-1)?.at ?? 0) + slots.widthMs;
  return { label, steps: [...steps, { at: end, value: 0 }], limit: slots.size };
}

/** edgesOf draws a critical path. A step whose lane is left out is passed over. */
export function edgesOf(shown: Picture, path: readonly number[]): Edge[] {
  const bars = path.map((i) => shown.bars[i] ?? -1).filter((bar) => bar >= 0);
  return bars.slice(1).map((to, n) => ({ from: bars[n] ?? 0, to, look: "critical" }));
}

/** moved is the picture with some bars elsewhere, by instance: one that is being dragged, or whose change has not been played yet. */
export function moved(shown: Picture, ends: ReadonlyMap<number, { from: number; to: number }>): LanesData {
  if (ends.size === 0) return shown.data;
  const bars = shown.data.bars.slice();
  for (const [i, place] of ends) {
    const n = shown.bars[i] ?? -1;
    const bar = bars[n];
    if (bar) bars[n] = { ...bar, ...place, before: bar.before ?? { from: bar.from, to: bar.to } };
  }
  return { ...shown.data, bars };
}
