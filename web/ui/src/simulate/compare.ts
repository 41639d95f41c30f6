import type { Foresight } from "./foresight";

/** A Move is an instance that does not go as it would have gone. */
export interface Move {
  at: number; // its place in the later foresight
  was: number; // in the former; -1 when it was not there
  by: number; // how much later it ends, in milliseconds; infinite when it ends no more, or had no end before (then negative)
  start: number; // how much later it starts, likewise
  worse: boolean; // it ended well and does so no more
  better: boolean;
}

/** A Comparison is what a change comes to. */
export interface Comparison {
  was: Int32Array; // of each instance of the later foresight, its place in the former; -1 of one that was not there
  moves: Move[]; // in the order of the later
  worst: Move[]; // the first of them, the worst first
  newlyLate: number[]; // places in the later
  inTime: number[]; // that were late, and are no more
  gone: number; // were in the former alone
}

/** So many of the worst are told apart: a whole day that moves is not put in order for a list of which a person sees the beginning. */
export const worstMost = 100;

const good = new Set(["succeeded", "forced", "skipped"]);

/** compare holds a foresight against a former one of the same days. Instances are the same by job, plan time and whether they are of the backfill. */
export function compare(before: Foresight, after: Foresight): Comparison {
  const was = places(before, after);
  const moves: Move[] = [];
  const worst: Move[] = [];
  const newlyLate: number[] = [];
  const inTime: number[] = [];
  let found = 0;
  for (let at = 0; at < after.count; at++) {
    const old = was[at] ?? -1;
    if (old < 0) {
      if (after.late.has(at)) newlyLate.push(at);
      continue;
    }
    found++;
    if (after.late.has(at) !== before.late.has(old)) (after.late.has(at) ? newlyLate : inTime).push(at);
    const by = later(before.end(old), after.end(at));
    const start = later(before.start(old), after.start(at));
    const [wasState, isState] = [before.state(old), after.state(at)];
    if (by === 0 && start === 0 && wasState === isState) continue;
    const [wasGood, isGood] = [good.has(wasState), good.has(isState)];
    const move = { at, was: old, by, start, worse: wasGood && !isGood, better: !wasGood && isGood };
    moves.push(move);
    keep(worst, move);
  }
  return { was, moves, worst, newlyLate, inTime, gone: before.count - found };
}

/** moveOf is how an instance of the later foresight moves. */
export function moveOf({ moves }: Comparison, at: number): Move | undefined {
  let low = 0;
  let high = moves.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moves[middle] as Move).at < at) low = middle + 1;
    else high = middle;
  }
  return moves[low]?.at === at ? moves[low] : undefined;
}

/** keep puts a move into its place among the worst. */
function keep(worst: Move[], move: Move): void {
  if (worst.length === worstMost && order(worst[worstMost - 1] as Move, move) <= 0) return;
  let place = worst.length;
  while (place > 0 && order(worst[place - 1] as Move, move) > 0) place--;
  worst.splice(place, 0, move);
  if (worst.length > worstMost) worst.pop();
}

function order(a: Move, b: Move): number {
  if (a.worse !== b.worse) return a.worse ? -1 : 1;
  return Math.abs(a.by) === Math.abs(b.by) ? a.at - b.at : Math.abs(b.by) - Math.abs(a.by);
}

/** later is how much later one time is than another, where undefined is never. */
function later(before: number | undefined, after: number | undefined): number {
  return before === after ? 0 : (after ?? Number.POSITIVE_INFINITY) - (before ?? Number.POSITIVE_INFINITY);
}

/** An instance is looked for so near behind the one before it; then everywhere. */
const near = 4;

/** places finds each instance of the later foresight in the former. Of one job both stand in nearly the same order: most are just behind the one before. */
function places(before: Foresight, after: Foresight): Int32Array {
  const number = new Map(before.columns.jobs.map((one, n) => [`${one.workflow}/${one.job}`, n]));
  const lists = byJob(before);
  const everywhere: (Map<number, number> | undefined)[] = [];
  const next = new Int32Array(lists.length);
  const jobs = after.columns.jobs.map((one) => number.get(`${one.workflow}/${one.job}`) ?? -1);
  const was = new Int32Array(after.count).fill(-1);
  for (let at = 0; at < after.count; at++) {
    const job = jobs[after.columns.job[at] ?? 0] ?? -1;
    const list = lists[job];
    if (list === undefined) continue;
    const key = keyOf(after, at);
    const first = next[job] ?? 0;
    let place = first;
    while (place < Math.min(first + near, list.length) && keyOf(before, list[place] as number) !== key) place++;
    if (place >= Math.min(first + near, list.length)) {
      everywhere[job] ??= new Map(list.map((one, n) => [keyOf(before, one), n]));
      place = everywhere[job].get(key) ?? -1;
    }
    if (place < 0) continue;
    was[at] = list[place] as number;
    next[job] = place + 1;
  }
  return was;
}

/** keyOf tells the instances of a job apart. */
const keyOf = (f: Foresight, i: number) => f.planTime(i) * 2 + (f.backfill.has(i) ? 1 : 0);

function byJob(f: Foresight): number[][] {
  const lists: number[][] = f.columns.jobs.map(() => []);
  for (let i = 0; i < f.count; i++) lists[f.columns.job[i] ?? 0]?.push(i);
  return lists;
}
