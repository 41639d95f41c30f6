import { expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { compare, moveOf, worstMost } from "./compare";
import { Foresight, instant } from "./foresight";
import { edgesOf, moved, picture } from "./picture";

type One = [
  job: number,
  plan: number,
  start: number,
  end: number,
  more?: { state?: string; late?: boolean; backfill?: boolean; held?: number; before?: number },
];
const states = ["waiting", "succeeded", "failed"];
const jobs: Schemas["SimulatedJob"][] = [
  { workflow: "shop", job: "orders", timeZone: "Europe/Berlin" },
  { workflow: "shop", job: "report", timeZone: "Europe/Berlin", deadlineMs: 60 * 60_000 },
];

/** day is a foresight of instances in minutes after midnight; -1 is never. */
function day(list: One[], of = jobs): Foresight {
  const minutes = (n: number) => (n < 0 ? -1 : n * 60_000);
  const those = (which: (one: One) => boolean | undefined) => list.flatMap((one, i) => (which(one) ? [i] : []));
  return new Foresight({
    from: "2026-11-22T00:00:00+01:00",
    to: "2026-11-23T00:00:00+01:00",
    last: "2026-11-22T10:00:00+01:00",
    usage: [
      { size: 2, peak: 2, fullMs: 0, widthMs: 60_000, buckets: [{ from: "2026-11-22T00:00:00+01:00", busy: 1, peak: 2 }] },
      { pool: "db", size: 1, peak: 1, fullMs: 0, widthMs: 60_000, buckets: [] },
    ],
    columns: {
      base: "2026-11-22T00:00:00+01:00",
      jobs: of,
      states,
      gates: ["dependency"],
      job: list.map(([job]) => job),
      planTime: list.map(([, plan]) => plan * 60_000),
      startedAt: list.map(([, , start]) => minutes(start)),
      endedAt: list.map(([, , , end]) => minutes(end)),
      state: list.map(([, , , end, more]) => states.indexOf(more?.state ?? (end < 0 ? "waiting" : "succeeded"))),
      heldMs: list.map(([, , , , more]) => minutes(more?.held ?? 0)),
      gate: list.map(([, , , , more]) => (more?.held ? 0 : -1)),
      before: list.map(([, , , , more]) => more?.before ?? -1),
      late: those(([, , , , more]) => more?.late),
      backfill: those(([, , , , more]) => more?.backfill),
    },
  } as unknown as Schemas["Simulation"]);
}

const usual = day([
  [0, 0, 0, 10],
  [1, 60, 60, 70],
  [0, 120, 120, 130],
  [1, 180, 180, 190],
]);

test("what moves by a change: by how much, what is late for it, what ends no more", () => {
  const after = day([
    [0, 0, 0, 90],
    [1, 60, 90, 125, { late: true, held: 30, before: 0 }],
    [0, 120, 120, 130],
    [1, 180, -1, -1, { late: true }],
    [0, 0, 5, 6, { backfill: true }],
  ]);
  const comparison = compare(usual, after);
  const { moves, worst, newlyLate, inTime, gone, was } = comparison;
  expect([...was]).toEqual([0, 1, 2, 3, -1]);
  expect(moves.map((move) => move.at)).toEqual([0, 1, 3]);
  expect([0, 1, 2, 3, 4].map((at) => moveOf(comparison, at)?.at)).toEqual([0, 1, undefined, 3, undefined]);
  expect(worst.map((move) => [move.at, move.by / 60_000, move.start / 60_000, move.worse])).toEqual([
    [3, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, true],
    [0, 80, 0, false],
    [1, 55, 30, false],
  ]);
  expect([newlyLate, inTime, gone]).toEqual([[1, 3], [], 0]);
  const back = compare(after, usual);
  expect(back.worst.map((move) => [move.at, move.by])).toEqual([
    [3, Number.NEGATIVE_INFINITY],
    [0, -80 * 60_000],
    [1, -55 * 60_000],
  ]);
  expect(back.worst[0]?.better).toBe(true);
  expect([back.newlyLate, back.inTime, back.gone]).toEqual([[], [1, 3], 1]);
});

test("of many that move the worst are told, and each is found in whatever order they come", () => {
  const many = Array.from({ length: 1_000 }, (_, n): One => [n % 2, n, n, n + 1]);
  const before = day(many);
  const order = many.map((_, n) => (n * 387) % 1_000);
  const after = day(order.map((n) => [n % 2, n, n, n + 1 + (n % 250)]));
  const { was, moves, worst } = compare(before, after);
  expect([...was]).toEqual(order);
  expect(moves.length).toBe(996);
  const all = moves.toSorted((a, b) => b.by - a.by || a.at - b.at);
  expect(worst).toEqual(all.slice(0, worstMost));
});

test("days of other jobs in another order are held against each other by name", () => {
  const other = day(
    [
      [1, 60, 60, 70],
      [0, 0, 0, 10],
      [2, 0, 0, 1],
    ],
    [{ workflow: "a", job: "new", timeZone: "UTC" }, ...jobs].map((one, n, all) => all[(n + 1) % 3] ?? one),
  );
  const { moves, was, gone } = compare(usual, other);
  expect([moves, [...was], gone]).toEqual([[], [1, 0, -1], 2]);
});

test("a deadline is missed, or close", () => {
  const f = day([
    [1, 0, 0, 56],
    [1, 60, 60, 62],
    [1, 120, 120, 185, { late: true }],
    [1, 180, -1, -1, { late: true }],
    [1, 240, 240, 300],
  ]);
  expect(f.jeopardised().map(({ at, left }) => [at, left / 60_000])).toEqual([
    [4, 0],
    [0, 4],
  ]);
  expect(f.missed().map(({ at, by }) => [at, by / 60_000])).toEqual([
    [3, Number.POSITIVE_INFINITY],
    [2, 5],
  ]);
});

test("an instance is named as the server names it, in the job's zone, on both sides of a change of the clock", () => {
  expect(instant(Date.parse("2026-10-25T00:30:00Z"), "Europe/Berlin")).toBe("2026-10-25T02:30:00+02:00");
  expect(instant(Date.parse("2026-10-25T01:30:00Z"), "Europe/Berlin")).toBe("2026-10-25T02:30:00+01:00");
  expect(instant(Date.parse("2026-10-25T01:30:00Z"), "Asia/Kathmandu")).toBe("2026-10-25T07:15:00+05:45");
  expect(instant(Date.parse("2026-01-25T00:00:00Z"), "Europe/London")).toBe("2026-01-25T00:00:00Z");
  expect(instant(Date.parse("2026-01-25T00:00:00Z"), "no/zone")).toBe("2026-01-25T00:00:00Z");
  expect(usual.name(1)).toBe("shop/report@2026-11-22T01:00:00+01:00");
  expect([usual.find("shop/report@2026-11-22T03:00:00+01:00"), usual.find("shop/report@2026-11-22T00:00:00Z")]).toEqual([3, 1]);
  for (const name of ["", "shop/report", "shop/none@2026-11-22T01:00:00+01:00", "shop/report@soon"])
    expect(usual.find(name), name).toBe(-1);
});

test("a critical path ends, also when the answer went in a circle", () => {
  const f = day([
    [0, 0, 0, 10, { before: 1 }],
    [0, 1, 10, 20, { before: 0 }],
    [1, 2, 20, 30, { before: 1 }],
  ]);
  expect(f.path(2)).toEqual([0, 1, 2]);
});

test("the picture has the lanes that are wanted, bars as played, and where they were", () => {
  const after = day([
    [0, 0, 0, 90],
    [1, 60, 90, 125, { late: true, held: 30, before: 0 }],
    [1, 180, -1, -1, { late: true }],
    [0, 0, 5, 6, { backfill: true }],
  ]);
  const shown = picture(after, () => true, { foresight: usual, comparison: compare(usual, after) }, { slots: "slots" });
  const minute = (at: number | undefined) => (at === undefined ? undefined : (at - after.from) / 60_000);
  expect(shown.data.lanes.map((lane) => `${lane.group}/${lane.label}`)).toEqual(["shop/orders", "shop/report"]);
  expect(
    shown.data.bars.map((bar) => [bar.lane, minute(bar.from), minute(bar.to), bar.look, minute(bar.due), minute(bar.deadline), bar.drag]),
  ).toEqual([
    [0, 0, 90, "moved", undefined, undefined, "both"],
    [1, 90, 125, "moved", 60, 120, "both"],
    [1, 180, 1440, "waiting", undefined, 240, undefined],
    [0, 5, 6, "succeeded", undefined, undefined, undefined],
  ]);
  expect(shown.data.bars.map((bar) => bar.before && [minute(bar.before.from), minute(bar.before.to)])).toEqual([
    [0, 10],
    [60, 70],
    [180, 190],
    undefined,
  ]);
  expect(shown.data.strip).toMatchObject({ limit: 2, steps: [{ value: 2 }, { value: 0 }] });
  expect(edgesOf(shown, [0, 1])).toEqual([{ from: 0, to: 1, look: "critical" }]);
  const dragged = moved(shown, new Map([[1, { from: after.from, to: after.from + 1 }]]));
  expect(dragged.bars[1]).toMatchObject({ from: after.from, to: after.from + 1, before: { from: after.from + 3_600_000 } });
  const report = picture(after, (job) => job === 1, undefined, { slots: "slots" });
  expect([[...report.bars], [...report.instances], edgesOf(report, [0, 1])]).toEqual([[-1, 0, 1, -1], [1, 2], []]);
});
