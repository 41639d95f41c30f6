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
  moves: Move[]; // the worst first
  newlyLate: number[]; // places in the later
  inTime: number[]; // that were late, and are no more
  gone: number; // were in the former alone
}

const good = new Set(["succeeded", "forced", "skipped"]);

/** compare holds a foresight against a former one of the same days. Instances are the same by job, plan time and whether they are of the backfill. */
export function compare(before: Foresight, after: Foresight): Comparison {
  const was = places(before, after);
  const moves: Move[] = [];
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
    const [wasGood, isGood] = [good.has(before.state(old)), good.has(after.state(at))];
    if (by === 0 && start === 0 && before.state(old) === after.state(at)) continue;
    moves.push({ at, was: old, by, start, worse: wasGood && !isGood, better: !wasGood && isGood });
  }
  moves.sort(
    (a, b) => Number(b.worse) - Number(a.worse) || (Math.abs(a.by) === Math.abs(b.by) ? a.at - b.at : Math.abs(b.by) - Math.abs(a.by)),
  );
  return { was, moves, newlyLate, inTime, gone: before.count - found };
}

/** later is how much later one time is than another, where undefined is never. */
function later(before: number | undefined, after: number | undefined): number {
  return before === after ? 0 : (after ?? Number.POSITIVE_INFINITY) - (before ?? Number.POSITIVE_INFINITY);
}

function places(before: Foresight, after: Foresight): Int32Array {
  const index = new Map<string, Map<number, number>>();
  const keyOf = (f: Foresight, i: number) => f.planTime(i) * 2 + (f.backfill.has(i) ? 1 : 0);
  const jobs = (f: Foresight) =>
    f.columns.jobs.map((job) => {
      const name = `${job.workflow}/${job.job}`;
      const known = index.get(name);
      if (known) return known;
      const made = new Map<number, number>();
      index.set(name, made);
      return made;
    });
  const old = jobs(before);
  for (let i = 0; i < before.count; i++) old[before.columns.job[i] ?? 0]?.set(keyOf(before, i), i);
  const now = jobs(after);
  const was = new Int32Array(after.count);
  for (let i = 0; i < after.count; i++) was[i] = now[after.columns.job[i] ?? 0]?.get(keyOf(after, i)) ?? -1;
  return was;
}
