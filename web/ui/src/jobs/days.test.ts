import { expect, test } from "vitest";
import {
  daysAfter,
  faceOf,
  isMonth,
  type JobDay,
  levelOf,
  monday,
  monthAfter,
  monthWeeks,
  moved,
  namedTimes,
  restOf,
  thresholds,
  weekday,
  yearAbout,
} from "./days";

const day = (more: Partial<JobDay>): JobDay => ({
  date: "2026-11-21",
  from: "2026-11-21T00:00:00Z",
  to: "2026-11-22T00:00:00Z",
  total: 0,
  instances: { waiting: 0, running: 0, lost: 0, succeeded: 0, forced: 0, failed: 0, skipped: 0, cancelled: 0 },
  ...more,
});

test("dates know no clock", () => {
  expect(daysAfter("2026-03-28", 1)).toBe("2026-03-29");
  expect(daysAfter("2026-03-29", 1)).toBe("2026-03-30");
  expect(daysAfter("2028-02-28", 1)).toBe("2028-02-29");
  expect(daysAfter("2027-02-28", 1)).toBe("2027-03-01");
  expect(daysAfter("2027-01-01", -1)).toBe("2026-12-31");
  expect(weekday("2026-11-21")).toBe(5);
  expect(monday("2026-11-22")).toBe("2026-11-16");
  expect(monday("2026-11-23")).toBe("2026-11-23");
});

test("months have the weeks that they touch", () => {
  expect(monthAfter("2026-11", 2)).toBe("2027-01");
  expect(monthAfter("2026-01", -1)).toBe("2025-12");
  const february = monthWeeks("2027-02"); // begins on a Monday and has 28 days
  expect(february).toHaveLength(4);
  expect(february[0]?.[0]).toBe("2027-02-01");
  const may = monthWeeks("2027-05"); // begins on a Saturday
  expect(may).toHaveLength(6);
  expect([may[0]?.[0], may[5]?.[6]]).toEqual(["2027-04-26", "2027-06-06"]);
  expect(["2026-11", "2026-13", "2026-00", "1969-12", "9999-01", "x", "2026-1"].map(isMonth)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("the year is 52 weeks and four to come, in as many days as may be asked for", () => {
  const { from, to, weeks } = yearAbout("2026-11-21");
  expect(weeks).toHaveLength(56);
  expect(weeks[51]).toContain("2026-11-21");
  expect([from, to]).toEqual([weeks[0]?.[0], daysAfter(weeks[55]?.[6] ?? "", 1)]);
  expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBeLessThanOrEqual(400);
});

test("arrows stay within the grid", () => {
  const go = (key: string) => moved("2026-11-18", key, "2026-11-02", "2026-11-22");
  expect(go("ArrowLeft")).toBe("2026-11-11");
  expect(go("ArrowRight")).toBe("2026-11-18");
  expect(go("ArrowDown")).toBe("2026-11-19");
  expect([go("Home"), go("End"), go("x")]).toEqual(["2026-11-02", "2026-11-22", null]);
});

test("a day is shown by its worst state", () => {
  expect(faceOf(undefined)).toBe("none");
  expect(faceOf(day({}))).toBe("none");
  expect(faceOf(day({ planned: 3 }))).toBe("planned");
  expect(faceOf(day({ planned: 3, worst: "failed" }))).toBe("failed");
});

test("levels hold about as many days each", () => {
  const days = Array.from({ length: 10 }, (_, n) => day({ medianSeconds: n + 1 }));
  const cuts = thresholds(days);
  expect(cuts).toEqual([3, 5, 7, 9]);
  expect([undefined, 1, 2, 3, 8.9, 9, 100].map((s) => levelOf(s, cuts))).toEqual([0, 1, 1, 2, 4, 5, 5]);
  expect(thresholds([day({ medianSeconds: 2 }), day({ medianSeconds: 2 })])).toEqual([]);
  expect(thresholds([])).toEqual([]);
});

test("of a day's plan times it is said how many are not named, where that is known", () => {
  const next = ["2026-11-21T20:26:00Z", "2026-11-21T20:27:00Z"];
  expect(restOf("2026-11-22", 1440, 2, next)).toBe("+1438");
  expect(restOf("2026-11-22", 2, 2, next)).toBe("");
  expect(restOf("2026-11-21", 2, 2, next)).toBe("…"); // the next ones that are told are all of this day
  expect(restOf("2026-11-21", 1, 1, ["2026-11-21T22:00:00Z", "2026-11-22T22:00:00Z"])).toBe("");
});

test("of more times than there is room for, those that are marked are named, in the order of time", () => {
  const times = ["01:00", "02:00", "03:00", "04:00"];
  expect(namedTimes(times, 4, () => true)).toEqual(times);
  expect(namedTimes(times, 2, (at) => at === "04:00")).toEqual(["01:00", "04:00"]);
  expect(namedTimes(times, 1, (at) => at > "02:00")).toEqual(["03:00"]);
});
