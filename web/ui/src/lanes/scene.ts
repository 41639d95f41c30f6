import type { Row } from "./layout";
import { nearest, type Placed, rowAt, within } from "./layout";
import type { Bar, Edge, Look, Spot } from "./model";
import type { Scale } from "./scale";

/** A Scene is all that a picture is made of. The pixels of x and y are of the canvas. */
export interface Scene {
  placed: Placed;
  rows: readonly Row[];
  laneRow: Int32Array; // of each lane: the row that shows it, its group's heading when that is folded
  looks: Readonly<Record<string, Look>>;
  scale: Scale;
  left: number; // how far the content is scrolled
  top: number;
  width: number; // of the canvas
  height: number;
  gutter: number; // the width of the labels
  head: number; // the height of what stands above the lanes
  now: number;
  cursor: Spot;
  hover: Spot;
  selected: number;
  edges: readonly Edge[]; // of what is looked at, drawn over the bars
  behind: readonly Edge[]; // all, drawn quietly behind them
}

/** The measures of a bar within its row, in pixels. */
export const barHeight = 16;
const barTop = 4;
export const glyphSize = 12;

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export const xOf = (scene: Scene, at: number) => scene.gutter + scene.scale.x(at) - scene.left;
export const yOf = (scene: Scene, row: Row) => scene.head + row.y - scene.top;

/** boxOf is where a bar is drawn, undefined when its lane is folded away. */
export function boxOf(scene: Scene, n: number, room = 0): Box | undefined {
  const bar = scene.placed.data.bars[n];
  if (bar === undefined) return undefined;
  const row = scene.rows[scene.laneRow[bar.lane] ?? -1];
  if (row === undefined) return undefined;
  const x = xOf(scene, bar.from);
  const loud = scene.looks[bar.look]?.fill === "solid"; // its glyph is seen, whatever comes after it
  const w = Math.max(xOf(scene, bar.to) - x, loud ? barHeight : Math.min(barHeight, Math.max(2, room - 1)));
  if (row.lane < 0) return { x, y: yOf(scene, row) + 5, w: Math.max(3, w), h: row.height - 10 };
  return { x, y: yOf(scene, row) + barTop + (scene.placed.sub[n] ?? 0) * (barHeight + 2), w, h: barHeight };
}

/** inSight yields the bars of a row that may be in sight, each with how much room there is until the next begins, in pixels. */
export function* inSight(scene: Scene, row: Row): Generator<[number, number, Bar]> {
  const { placed, scale } = scene;
  const list = placed.byLane[row.lane];
  if (list === undefined) return;
  const [first, end] = within(placed, row.lane, scale.at(scene.left) - 40 / scale.density, scale.at(scene.left + scale.width));
  for (let k = first; k < end; k++) {
    const n = list[k] as number;
    const bar = placed.data.bars[n] as Bar;
    let room = 1e6;
    for (let next = k + 1; next < list.length && next < k + 5; next++) {
      const other = list[next] as number;
      if (placed.sub[other] !== placed.sub[n]) continue;
      room = ((placed.data.bars[other] as Bar).from - bar.from) * scale.density;
      break;
    }
    yield [n, room, bar];
  }
}

/** visible yields the rows that are in sight, with their indices. */
export function* visible(scene: Scene): Generator<[number, Row]> {
  const bottom = scene.top + scene.height - scene.head;
  for (let k = Math.max(0, rowAt(scene.rows, scene.top)); k < scene.rows.length; k++) {
    const row = scene.rows[k] as Row;
    if (row.y > bottom) return;
    yield [k, row];
  }
}

/** hit is what is at a pixel; a bar is also hit a little beside it, since many are thin. */
export function hit(scene: Scene, x: number, y: number): Spot {
  if (y < scene.head) return { kind: "none" };
  const row = scene.rows[rowAt(scene.rows, y - scene.head + scene.top)];
  if (row === undefined) return { kind: "none" };
  if (row.lane < 0) return { kind: "group", group: row.group };
  if (x < scene.gutter) return { kind: "lane", lane: row.lane };
  let best = -1;
  let distance = 4;
  for (const [n, room] of inSight(scene, row)) {
    const box = boxOf(scene, n, room);
    if (box === undefined || (scene.placed.depth[row.lane] !== 1 && (y < box.y - 1 || y > box.y + box.h + 1))) continue;
    const away = x < box.x ? box.x - x : x > box.x + box.w ? x - box.x - box.w : 0;
    if (away < distance) {
      best = n;
      distance = away;
    }
  }
  return best < 0 ? { kind: "none" } : { kind: "bar", bar: best };
}

/** step is where the cursor goes from a spot by a key; undefined is a key that does not move it. */
export function step(scene: Scene, from: Spot, key: string): Spot | undefined {
  const { placed, rows } = scene;
  const middle = scene.scale.at(scene.left + scene.scale.width / 2);
  if (from.kind === "none") {
    if (!/^(Arrow|Page|Home|End)/.test(key)) return undefined;
    const first = rows[Math.max(0, rowAt(rows, scene.top))];
    return first === undefined ? undefined : into(placed, first, middle);
  }
  const at = from.kind === "bar" ? ((placed.data.bars[from.bar] as Bar | undefined)?.from ?? middle) : middle;
  const here =
    from.kind === "group"
      ? rows.findIndex((row) => row.lane < 0 && row.group === from.group)
      : (scene.laneRow[from.kind === "lane" ? from.lane : (placed.data.bars[from.bar]?.lane ?? -1)] ?? -1);
  const vertical: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 };
  const by = vertical[key];
  if (by !== undefined) {
    const to = Math.min(rows.length - 1, Math.max(0, here + by));
    if (to === here) return from; // there is no further row
    const row = rows[to];
    return row === undefined ? undefined : into(placed, row, at);
  }
  if (from.kind !== "bar") return undefined;
  const list = placed.byLane[placed.data.bars[from.bar]?.lane ?? -1];
  if (list === undefined) return undefined;
  const place = list.indexOf(from.bar);
  const to: Record<string, number> = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: list.length - 1 };
  const next = to[key];
  if (next === undefined) return undefined;
  return { kind: "bar", bar: list[Math.min(list.length - 1, Math.max(0, next))] ?? from.bar };
}

function into(placed: Placed, row: Row, at: number): Spot {
  if (row.lane < 0) return { kind: "group", group: row.group };
  const bar = nearest(placed, row.lane, at);
  return bar < 0 ? { kind: "lane", lane: row.lane } : { kind: "bar", bar };
}
