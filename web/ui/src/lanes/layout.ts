import type { Bar, LanesData } from "./model";

/** A Row is a lane or the heading of a group, with where it is. Its y and height are in pixels, from the top of the first row. */
export interface Row {
  y: number;
  height: number;
  group: string;
  lane: number; // -1: a heading
  folded: boolean; // a heading whose lanes are not shown
  lanes: readonly number[]; // of a heading: its lanes
}

/** A Placed is the order of bars in lanes, made once for data: what is in sight is found by it without looking at all of them. */
export interface Placed {
  data: LanesData;
  starts: Float64Array; // of each bar: where anything of it begins
  byLane: readonly Int32Array[]; // the numbers of each lane's bars by their start
  longest: Float64Array; // of each lane: the longest way from where a bar, with all that is drawn of it, begins to where it ends
  sub: Uint8Array; // of each bar: its row within its lane
  depth: Uint8Array; // of each lane: how many rows its bars need
}

/** Beyond so many rows within a lane, bars are drawn over each other. */
const deepest = 4;

/** begins is where anything of a bar begins, its line of waiting too. */
export function begins(bar: Bar): number {
  return Math.min(bar.from, bar.due ?? bar.from, bar.before?.from ?? bar.from);
}

function ends(bar: Bar): number {
  return Math.max(bar.to, bar.before?.to ?? bar.to, bar.deadline ?? bar.to);
}

/** place puts the bars of each lane in order, and apart where they overlap. */
export function place(data: LanesData): Placed {
  const { bars, lanes } = data;
  const count = new Int32Array(lanes.length);
  const starts = new Float64Array(bars.length);
  for (let n = 0; n < bars.length; n++) {
    const bar = bars[n] as Bar;
    starts[n] = begins(bar);
    count[bar.lane] = (count[bar.lane] ?? 0) + 1;
  }
  const byLane = Array.from(count, (n) => new Int32Array(n));
  count.fill(0);
  for (let n = 0; n < bars.length; n++) {
    const { lane } = bars[n] as Bar;
    const list = byLane[lane];
    const at = count[lane] ?? 0;
    if (list !== undefined) list[at] = n;
    count[lane] = at + 1;
  }
  const sub = new Uint8Array(bars.length);
  const depth = new Uint8Array(lanes.length).fill(1);
  const longest = new Float64Array(lanes.length);
  const free: number[] = []; // when each row within the lane is free again
  for (let lane = 0; lane < byLane.length; lane++) {
    const list = byLane[lane] as Int32Array;
    inOrder(list, starts);
    free.length = 0;
    let most = 0;
    for (const n of list) {
      const bar = bars[n] as Bar;
      most = Math.max(most, ends(bar) - (starts[n] ?? 0));
      let row = 0;
      while (row < free.length && (free[row] as number) > bar.from) row++;
      if (row === deepest) row = deepest - 1;
      free[row] = Math.max(free[row] ?? bar.to, bar.to, bar.from + 1);
      sub[n] = row;
    }
    longest[lane] = most;
    depth[lane] = Math.max(1, free.length);
  }
  return { data, starts, byLane, longest, sub, depth };
}

/** inOrder puts the bars of a lane in the order of their starts. Most come so. */
function inOrder(list: Int32Array, starts: Float64Array): void {
  for (let k = 1; k < list.length; k++) {
    if ((starts[list[k - 1] as number] as number) <= (starts[list[k] as number] as number)) continue;
    list.sort((a, b) => (starts[a] as number) - (starts[b] as number));
    return;
  }
}

/** Measures of rows, in pixels. */
export interface Measures {
  lane: number; // of a lane whose bars need one row
  more: number; // for each further row
  heading: number;
}

/** rowsOf are the rows from the top on, those of folded groups left out, and the height of all. */
export function rowsOf(placed: Placed, folded: ReadonlySet<string>, measures: Measures): { rows: Row[]; height: number } {
  const rows: Row[] = [];
  let y = 0;
  let heading: { row: Row; lanes: number[] } | undefined;
  placed.data.lanes.forEach((lane, n) => {
    const group = lane.group ?? "";
    if (group !== "" && heading?.row.group !== group) {
      const lanes: number[] = [];
      heading = { row: { y, height: measures.heading, group, lane: -1, folded: folded.has(group), lanes }, lanes };
      rows.push(heading.row);
      y += measures.heading;
    } else if (group === "") heading = undefined;
    heading?.lanes.push(n);
    if (heading?.row.folded) return;
    const height = measures.lane + ((placed.depth[n] ?? 1) - 1) * measures.more;
    rows.push({ y, height, group, lane: n, folded: false, lanes: [] });
    y += height;
  });
  return { rows, height: y };
}

/** rowAt is the index of the row at y, -1 when there is none. */
export function rowAt(rows: readonly Row[], y: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle] as Row;
    if (row.y + row.height <= y) low = middle + 1;
    else high = middle;
  }
  const row = rows[low];
  return row !== undefined && row.y <= y ? low : -1;
}

/** within finds the part of a lane's bars, as [first, behind the last) of byLane, that may reach into a span of time. */
export function within(placed: Placed, lane: number, from: number, to: number): [number, number] {
  const list = placed.byLane[lane];
  if (list === undefined) return [0, 0];
  const earliest = from - (placed.longest[lane] ?? 0);
  return [bound(list, placed.starts, earliest, false), bound(list, placed.starts, to, true)];
}

/** bound is the first place in a lane whose bar begins at a time or after it, or only after it. */
function bound(list: Int32Array, starts: Float64Array, at: number, after: boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = starts[list[middle] as number] as number;
    if (after ? start > at : start >= at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * nearest is the bar of a lane that is least away from a time, -1 when the lane has none. Of several
 * that are equally far it is the last: of the runs of one instance that stand at one time, the current one.
 */
export function nearest(placed: Placed, lane: number, at: number): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  for (const n of placed.byLane[lane] ?? []) {
    const bar = placed.data.bars[n] as Bar;
    const away = at < bar.from ? bar.from - at : at > bar.to ? at - bar.to : 0;
    if (away <= distance) {
      best = n;
      distance = away;
    }
  }
  return best;
}
