import { expect, test } from "vitest";
import { dragged, gripOf } from "./drag";
import { Neighbours } from "./edges";
import { place, rowsOf } from "./layout";
import type { Bar, LanesData, Spot } from "./model";
import { Scale } from "./scale";
import { boxOf, hit, type Scene, step } from "./scene";

const none: Spot = { kind: "none" };
const bars: Bar[] = [0, 100, 200, 300, 50].map((from, n) => ({ id: String(n), lane: n < 4 ? 0 : 1, from, to: from + 20, look: "x" }));
const data: LanesData = {
  from: 0,
  to: 60_000,
  zone: "UTC",
  lanes: [
    { label: "a", group: "g" },
    { label: "b", group: "g" },
  ],
  bars,
  edges: [
    { from: 0, last: 2, count: 3, to: 4 },
    { from: 3, to: 4 },
  ],
};

function scene(folded: string[] = [], shown = data): Scene {
  const placed = place(shown);
  const { rows } = rowsOf(placed, new Set(folded), { lane: 24, more: 18, heading: 26 });
  return {
    placed,
    rows,
    laneRow: Int32Array.from(folded.length > 0 ? [0, 0] : [1, 2]),
    looks: {},
    scale: new Scale(0, 60_000, 60_000, 1), // a pixel a millisecond
    left: 0,
    top: 0,
    width: 1000,
    height: 500,
    gutter: 200,
    head: 30,
    now: 0,
    cursor: none,
    hover: none,
    selected: -1,
    edges: [],
    behind: [],
  };
}

test("a pointer hits bars, also a little beside them, headings and labels", () => {
  const s = scene();
  expect(hit(s, 310, 30 + 26 + 12)).toEqual({ kind: "bar", bar: 1 });
  expect(hit(s, 297, 30 + 26 + 12)).toEqual({ kind: "bar", bar: 1 });
  expect(hit(s, 290, 30 + 26 + 12)).toEqual(none);
  expect(hit(s, 310, 35)).toEqual({ kind: "group", group: "g" });
  expect(hit(s, 10, 30 + 26 + 12)).toEqual({ kind: "lane", lane: 0 });
  expect(hit(s, 310, 5)).toEqual(none);
  expect(hit(s, 310, 400)).toEqual(none);
});

test("arrows move within a lane, and between lanes to what is nearest in time", () => {
  const s = scene();
  expect(step(s, none, "ArrowDown")).toEqual({ kind: "group", group: "g" });
  expect(step(s, { kind: "bar", bar: 1 }, "ArrowRight")).toEqual({ kind: "bar", bar: 2 });
  expect(step(s, { kind: "bar", bar: 3 }, "ArrowRight")).toEqual({ kind: "bar", bar: 3 });
  expect(step(s, { kind: "bar", bar: 3 }, "Home")).toEqual({ kind: "bar", bar: 0 });
  expect(step(s, { kind: "bar", bar: 3 }, "ArrowDown")).toEqual({ kind: "bar", bar: 4 });
  expect(step(s, { kind: "bar", bar: 4 }, "ArrowUp")).toEqual({ kind: "bar", bar: 0 });
  expect(step(s, { kind: "bar", bar: 4 }, "x")).toBeUndefined();
});

test("a key that leads to no further row leaves the cursor at its bar, also where another stands at the same time", () => {
  const runs = [1, 2].map((run): Bar => ({ id: `run ${run}`, lane: 1, from: 50, to: 50, look: "x" }));
  const s = scene([], { ...data, bars: runs, edges: [] });
  expect(step(s, { kind: "lane", lane: 0 }, "ArrowDown")).toEqual({ kind: "bar", bar: 1 });
  expect(step(s, { kind: "bar", bar: 1 }, "ArrowLeft")).toEqual({ kind: "bar", bar: 0 });
  expect(step(s, { kind: "bar", bar: 0 }, "ArrowDown")).toEqual({ kind: "bar", bar: 0 });
});

test("bars of a folded group are in its heading", () => {
  const s = scene(["g"]);
  expect(boxOf(s, 1)?.y).toBeLessThan(30 + 26);
  expect(step(s, { kind: "group", group: "g" }, "ArrowDown")).toEqual({ kind: "group", group: "g" });
});

test("the edges of a bar are those to it, and those of the ranges that hold it", () => {
  const of = new Neighbours(place(data));
  expect(of.of(1)).toEqual([data.edges?.[0]]);
  expect(of.of(3)).toEqual([data.edges?.[1]]);
  expect(of.of(4)).toHaveLength(2);
});

test("a bar is moved, or its end, in whole steps, and never ends before it begins", () => {
  const bar: Bar = { id: "a", lane: 0, from: 100, to: 200, look: "x", drag: "both" };
  expect(gripOf(bar, 3)).toBe("end");
  expect(gripOf(bar, 30)).toBe("move");
  expect(gripOf({ ...bar, drag: undefined }, 3)).toBeUndefined();
  expect(dragged(bar, "move", 26, 10)).toEqual({ from: 130, to: 230 });
  expect(dragged(bar, "end", -500, 10)).toEqual({ from: 100, to: 100 });
});
