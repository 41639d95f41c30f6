import { expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { quantile, scaleOf, tookOf } from "./durations";

const t0 = Date.parse("2026-11-21T06:00:00Z");

function instance(
  state: Schemas["Instance"]["state"],
  seconds: number | null,
  more: Partial<Schemas["Instance"]> = {},
): Schemas["Instance"] {
  const at = new Date(t0).toISOString();
  return {
    id: "1",
    name: "w/j",
    workflow: "w",
    job: "j",
    kind: "scheduled",
    planTime: at,
    notBefore: at,
    state,
    priority: 5,
    version: "1",
    reason: { code: "x", text: "" },
    startedAt: at,
    ...(seconds === null ? {} : { endedAt: new Date(t0 + seconds * 1000).toISOString() }),
    ...more,
  };
}

test("the runs are shown the earliest first; what has not started is none", () => {
  const list = tookOf(
    [
      instance("running", null),
      instance("waiting", null, { startedAt: undefined }),
      instance("failed", 3),
      instance("succeeded", 2),
      instance("succeeded", 9, { touched: true }),
    ],
    t0 + 5000,
    10,
  );
  expect(list.map((one) => [one.instance.state, one.seconds, one.counts, one.open])).toEqual([
    ["succeeded", 9, false, false],
    ["succeeded", 2, true, false],
    ["failed", 3, false, false],
    ["running", 5, false, true],
  ]);
  expect(
    tookOf(
      Array.from({ length: 90 }, (_, n) => instance("succeeded", n)),
      t0,
      60,
    )[0]?.seconds,
  ).toBe(59);
});

test("quantiles are values that there are", () => {
  expect(quantile([3, 1, 2], 0.5)).toBe(2);
  expect(quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(9);
  expect(quantile([], 0.5)).toBeUndefined();
});

test("the scale has a few round marks, and one that lasted far longer does not flatten the rest", () => {
  const scale = (...seconds: number[]) =>
    scaleOf(seconds.map((s) => ({ instance: instance("succeeded", s), seconds: s, open: false, counts: true })));
  expect(scale(10, 12, 55).marks).toEqual([0, 15, 30, 45]);
  expect(scale(7000).marks).toEqual([0, 1800, 3600, 5400]);
  expect(scale(0.07, 0.01).marks.map((mark) => Math.round(mark * 1000))).toEqual([0, 20, 40, 60]);
  expect(scale(1.5, 1).marks).toEqual([0, 0.5, 1, 1.5]);
  expect(scale(...Array.from({ length: 30 }, () => 10), 100_000).top).toBeLessThan(50);
  for (const longest of [0, 0.0004, 0.9, 3.9, 4, 90, 3e6]) {
    const { marks, top } = scale(longest);
    expect(marks.length).toBeGreaterThanOrEqual(1);
    expect(marks.length).toBeLessThanOrEqual(6);
    expect(top).toBeGreaterThan(0);
  }
});
