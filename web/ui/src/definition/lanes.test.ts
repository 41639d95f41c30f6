import { expect, test } from "vitest";
import { draw } from "./lanes";
import type { Preview } from "./queries";

type Wait = Preview["instances"][number]["dependencies"][number];

const wait = (from: string, to: string, times: [string, boolean][], rule = "natural-day") => {
  const inside = times.filter(([, one]) => one).map(([at]) => at);
  return {
    workflow: "shop",
    job: "stores",
    rule,
    window: { from, to, closed: "left" },
    first: inside[0],
    last: inside.at(-1),
    candidates: { in: inside.length, out: 0, items: times.map(([planTime, one]) => ({ planTime, in: one })) },
  } as Wait;
};

const preview = (dependencies: Wait[]): Preview => ({
  workflow: "shop",
  job: "orders",
  date: "2026-11-21",
  timeZone: "UTC",
  from: "2026-11-21T00:00:00Z",
  to: "2026-11-22T00:00:00Z",
  schedule: "",
  total: 1,
  instances: [{ planTime: "2026-11-21T12:00:00Z", dependencies }],
});

test("a day is as wide as the picture, and noon is in its middle", () => {
  const drawing = draw(preview([]), 0, 1000);
  expect(drawing.own).toEqual([{ x: 500, n: 0, chosen: true }]);
  expect(drawing.day).toEqual({ x: 22, width: 956 });
  expect(drawing.axis.map((one) => new Date(one.at).getUTCHours())).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 0]);
});

test("what an instance looks at widens the time, up to two months", () => {
  const drawing = draw(preview([wait("2026-11-20T00:00:00Z", "2026-11-22T00:00:00Z", [["2026-11-20T06:00:00Z", true]])]), 0, 1000);
  expect(drawing.day.x).toBe(500);
  expect(drawing.lanes[0]?.window).toEqual({ x: 22, width: 956 });
  expect(drawing.lanes[0]?.link?.to).toEqual([141.5, 141.5]);
  const far = draw(preview([wait("2020-01-01T00:00:00Z", "2026-11-22T00:00:00Z", [])]), 0, 1000);
  expect(far.day.x).toBeGreaterThan(900);
  expect(far.lanes[0]?.link).toBeNull();
});

test("a window without bounds has no bar", () => {
  expect(draw(preview([wait("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", [])]), 0, 1000).lanes[0]?.window).toBeNull();
});

test("a day without instances, and many dependencies", () => {
  expect(draw({ ...preview([]), instances: [] }, 0, 1000).lanes).toEqual([]);
  const many = draw(preview(Array.from({ length: 20 }, () => wait("2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", []))), 0, 300);
  expect(many.lanes).toHaveLength(12);
  expect(many.left).toBe(8);
});
