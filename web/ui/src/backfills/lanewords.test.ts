import { expect, test } from "vitest";
import { dayRange } from "./lanewords";

test("the days are those of the jobs' own clock, whose end is excluded", () => {
  expect(dayRange({ from: "2026-10-01T00:06:00+08:00", to: "2026-10-20T23:11:00.001+08:00" })).toBe("2026-10-01 – 2026-10-20");
  expect(dayRange({ from: "2026-10-01T00:00:00-05:00", to: "2026-10-01T00:00:00.001-05:00" })).toBe("2026-10-01");
  expect(dayRange({ from: "2026-10-01T06:00:00Z", to: "2026-10-03T00:00:00Z" })).toBe("2026-10-01 – 2026-10-02");
});
