import { expect, test } from "vitest";
import { nearest, place, rowAt, rowsOf, within } from "./layout";
import type { Bar, LanesData } from "./model";

const bar = (lane: number, from: number, to: number, more: Partial<Bar> = {}): Bar => ({
  id: `${lane}@${from}`,
  lane,
  from,
  to,
  look: "x",
  ...more,
});
const data = (bars: Bar[], lanes: LanesData["lanes"]): LanesData => ({ from: 0, to: 100, zone: "UTC", lanes, bars });
const measures = { lane: 24, more: 18, heading: 26 };

test("bars that overlap stand below each other, those that touch do not", () => {
  const placed = place(data([bar(0, 0, 10), bar(0, 10, 20), bar(0, 5, 15), bar(0, 15, 15)], [{ label: "a" }]));
  expect([...placed.sub]).toEqual([0, 0, 1, 1]);
  expect(placed.depth[0]).toBe(2);
});

test("beyond four rows bars are drawn over each other", () => {
  const placed = place(
    data(
      Array.from({ length: 9 }, (_, n) => bar(0, n, 90)),
      [{ label: "a" }],
    ),
  );
  expect(placed.depth[0]).toBe(4);
  expect(Math.max(...placed.sub)).toBe(3);
});

test("a folded group is its heading alone, and lanes without a group have none", () => {
  const placed = place(data([], [{ label: "loose" }, { label: "a", group: "g" }, { label: "b", group: "g" }, { label: "c", group: "h" }]));
  const { rows, height } = rowsOf(placed, new Set(["g"]), measures);
  expect(rows.map((row) => (row.lane < 0 ? row.group : row.lane))).toEqual([0, "g", "h", 3]);
  expect(rows[1]?.lanes).toEqual([1, 2]);
  expect(height).toBe(24 + 26 + 26 + 24);
  expect([0, 23, 24, 49, 50, 99, 100, -1].map((y) => rowAt(rows, y))).toEqual([0, 0, 1, 1, 2, 3, -1, -1]);
});

test("what reaches into a span is found, however long before it began or was due", () => {
  const bars = [bar(0, 50, 60), bar(0, 0, 80), bar(0, 30, 31), bar(0, 90, 95, { due: 10 })];
  const placed = place(data(bars, [{ label: "a" }]));
  const [first, end] = within(placed, 0, 70, 75);
  const found = [...(placed.byLane[0] ?? [])].slice(first, end).map((n) => bars[n]?.from);
  expect(found).toEqual(expect.arrayContaining([0, 90]));
  expect(within(placed, 0, 200, 300)[1]).toBe(4);
});

test("the nearest bar is that which holds the time, or else that which is least away", () => {
  const placed = place(data([bar(0, 0, 10), bar(0, 40, 50), bar(1, 0, 1)], [{ label: "a" }, { label: "b" }, { label: "none" }]));
  expect(nearest(placed, 0, 24)).toBe(0);
  expect(nearest(placed, 0, 26)).toBe(1);
  expect(nearest(placed, 2, 5)).toBe(-1);
});

test("of runs that stand at one time the last is the nearest, from before and from after", () => {
  const placed = place(data([bar(0, 10, 10), bar(0, 10, 10), bar(0, 10, 10)], [{ label: "a" }]));
  expect([0, 10, 90].map((at) => nearest(placed, 0, at))).toEqual([2, 2, 2]);
});
