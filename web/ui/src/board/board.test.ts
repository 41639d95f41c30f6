import { expect, test } from "vitest";
import { demand } from "./demand";
import { downstreamOf, jointOf, upstreamOf } from "./edges";
import { pictureOf } from "./picture";
import type { Day, DayEdges } from "./queries";
import { barOf, markOf, rowOf } from "./rows";

const hour = 3600;
const from = Date.parse("2026-11-21T00:00:00+01:00");
const at = (hours: number) => from + hours * 3_600_000;

/** A day with orders each hour from 0 to 3, the second failed and the last to come, and a report at 4 that is not recorded. */
const day: Day = {
  date: "2026-11-21",
  zone: "Europe/Berlin",
  from: "2026-11-21T00:00:00+01:00",
  to: "2026-11-22T00:00:00+01:00",
  slots: 1,
  plan: "p",
  waits: "w",
  states: ["waiting", "running", "lost", "succeeded", "forced", "failed", "skipped", "cancelled"],
  gates: ["", "time", "dependency"],
  jobs: [
    { workflow: "shop", job: "orders", zone: "Europe/Berlin", takesSeconds: 1800 },
    { workflow: "back", job: "report", zone: "Europe/Berlin" },
  ],
  instances: {
    id: ["1", "2", "3", "4", "0"],
    job: [0, 0, 0, 0, 1],
    plan: [0, hour, 2 * hour, 3 * hour, 4 * hour],
    started: [60, hour, null, null, null],
    ended: [660, hour + 5, null, null, null],
    state: [3, 5, 0, 0, 0],
    gate: [0, 0, 2, 1, 1],
    flags: [0, 0, 1, 0, 0],
  },
};
const edges: DayEdges = {
  plan: "p",
  rules: [
    { job: 1, dependency: 0, workflow: "shop", upstream: "orders", rule: "natural-day", select: "all" },
    { job: 0, dependency: 0, workflow: "shop", upstream: "orders", rule: "self", select: "all" },
  ],
  edges: {
    to: [4, 1, 0],
    from: [0, 0, -1],
    last: [3, 0, -1],
    rule: [0, 1, 1],
    count: [4, 1, 1],
    on: [4, 1, 0],
    first: [0, 0, -hour],
    final: [3 * hour, 0, -hour],
    windowFrom: [0, null, null],
    windowTo: [24 * hour, null, null],
  },
};
const now = at(2.5);
const wish = { find: "", states: [], now, note: (jobs: number, failed: number, late: number) => `${jobs} ${failed} ${late}` };

/** The second instance failed at 01:00 and was run again at 02:00, for 60 s. */
const rerun: Day = {
  ...day,
  instances: {
    ...day.instances,
    started: [60, 2 * hour, null, null, null],
    ended: [660, 2 * hour + 60, null, null, null],
    state: [3, 3, 0, 0, 0],
  },
  earlier: { row: [1], number: [1], started: [hour], ended: [hour + 5], state: [5], current: [2] },
};

test("each run is a bar of its own, and the wait in between is a line", () => {
  const picture = pictureOf(rerun, wish);
  const bars = picture.data.bars.filter((bar) => bar.id === "2" || bar.id.startsWith("2#"));
  expect(bars).toHaveLength(2);
  expect(bars[0]).toMatchObject({ id: "2#1", look: "failed", from: at(1), to: at(1) + 5000 });
  expect(bars[1]).toMatchObject({ id: "2", look: "succeeded", due: at(1) + 5000, from: at(2), to: at(2) + 60_000 });
  expect(picture.rows[picture.data.bars.findIndex((bar) => bar.id === "2#1")]).toMatchObject({ run: 1, past: true });
  expect(picture.counts).toMatchObject({ succeeded: 2, failed: 0 });
  expect(picture.barOfRow[1]).toBe(picture.data.bars.findIndex((bar) => bar.id === "2"));
});

test("what runs again waits from where its last run ended, and what was settled has no length", () => {
  const waits = {
    ...rerun,
    instances: { ...rerun.instances, started: [60, null, null, null, null], ended: [660, null, null, null, null], state: [3, 0, 0, 0, 0] },
  };
  expect(pictureOf(waits, wish).data.bars.find((bar) => bar.id === "2")).toMatchObject({ look: "waiting", from: at(1) + 5000, known: now });
  const forced = { ...waits, instances: { ...waits.instances, ended: [660, 2 * hour, null, null, null], state: [3, 4, 0, 0, 0] } };
  expect(pictureOf(forced, wish).data.bars.find((bar) => bar.id === "2")).toMatchObject({ look: "forced", from: at(2), to: at(2) });
});

test("a bar is where its instance ran, or when it will", () => {
  const bars = [0, 1, 2, 3, 4].map((n) => barOf(rowOf(day, n), 0, { from, to: at(24) }, 1_800_000, now));
  expect(bars[0]).toMatchObject({ from: at(0) + 60_000, to: at(0) + 660_000, due: at(0), look: "succeeded" });
  expect(bars[2]).toMatchObject({ from: at(2), known: now, to: now + 1_800_000, look: "waiting", late: true });
  expect(bars[3]).toMatchObject({ from: at(3), to: at(3.5), look: "planned" });
  expect(bars[4]).toMatchObject({ look: "unplanned", ghost: true, id: `1@${at(4)}` });
});

test("what ran on another day stands at its plan time, for as long as it took", () => {
  const row = { ...rowOf(day, 0), started: at(40), ended: at(41) };
  expect(barOf(row, 0, { from, to: at(24) }, 0, at(50))).toMatchObject({ from: at(0), to: at(1) });
  expect(barOf({ ...row, started: at(-5), ended: at(-4) }, 0, { from, to: at(24) }, 0, at(50)).from).toBe(at(0));
});

test("what runs is known up to now, and expected to take as long as before", () => {
  const row = { ...rowOf(day, 0), state: "running", started: at(2), ended: undefined };
  expect(barOf(row, 0, { from, to: at(24) }, 3_600_000, now)).toMatchObject({ from: at(2), known: now, to: at(3) });
  expect(barOf(row, 0, { from, to: at(24) }, 60_000, now)).toMatchObject({ to: now });
});

test("what waits for its time alone is planned", () => {
  expect([0, 1, 2, 3, 4].map((n) => markOf(rowOf(day, n), now))).toEqual(["succeeded", "failed", "waiting", "planned", "planned"]);
});

test("jobs are in the order of their names, and workflows have counts", () => {
  const picture = pictureOf(day, wish);
  expect(picture.data.lanes.map((lane) => `${lane.group}/${lane.label}`)).toEqual(["back/report", "shop/orders"]);
  expect(picture.counts).toMatchObject({ succeeded: 1, failed: 1, waiting: 1, planned: 2, late: 1 });
  expect(picture.data.groups?.get("shop")).toBe("1 1 1");
  expect([...picture.barOfRow]).toEqual([0, 1, 2, 3, 4]);
});

test("chosen states leave the lanes that have them, and fade the rest of these", () => {
  const picture = pictureOf(day, { ...wish, states: ["failed"] });
  expect(picture.data.lanes).toHaveLength(1);
  expect(picture.data.bars.map((bar) => bar.faded ?? false)).toEqual([true, false, true, true]);
  expect(picture.counts.planned).toBe(2);
  expect(picture.barOfRow[4]).toBe(-1);
  expect(pictureOf(day, { ...wish, find: "BACK rep" }).data.bars).toHaveLength(1);
});

test("a range is one edge, red when something of it failed", () => {
  const picture = pictureOf(day, wish);
  const joint = jointOf(picture, day, edges);
  expect(joint.edges).toEqual([
    { from: 0, last: 3, to: 4, count: 4, look: "critical" },
    { from: 0, last: 0, to: 1, count: 1, look: "satisfied" },
  ]);
  expect(joint.edges.map((edge) => joint.numbers.get(edge))).toEqual([0, 1]);
  expect(jointOf(picture, { ...day, plan: "q" }, edges).edges).toEqual([]);
});

test("the edges of one instance, also those from outside of the day", () => {
  expect(upstreamOf(day, edges, 4)).toEqual([
    { k: 0, rule: 0, workflow: "shop", job: "orders", first: at(0), last: at(3), count: 4, window: [at(0), at(24)] },
  ]);
  expect(upstreamOf(day, edges, 0)[0]).toMatchObject({ first: at(-1), count: 1 });
  expect(downstreamOf(day, edges, 2).map(({ to }) => to)).toEqual([4]);
  expect(downstreamOf(day, edges, 0).map(({ to }) => to)).toEqual([4, 1]);
});

test("the demand counts what runs at once", () => {
  const bar = (begin: number, end: number) => ({ from: at(begin), to: at(end) });
  expect(demand([bar(1, 3), bar(2, 4), bar(-1, 1), bar(5, 5), bar(30, 31)], at(0), at(24))).toEqual([
    { at: at(0), value: 0 },
    { at: at(0), value: 1 },
    { at: at(2), value: 2 },
    { at: at(3), value: 1 },
    { at: at(4), value: 0 },
  ]);
});
