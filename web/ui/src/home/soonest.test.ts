import { expect, test } from "vitest";
import { soonest } from "./soonest";

const at = (job: string, planTime: string) => ({ workflow: "w", job, planTime });

test("the first of each job, the soonest first, whatever their zones", () => {
  const items = [
    at("beat", "2026-11-21T10:02:00Z"),
    at("beat", "2026-11-21T10:01:00Z"),
    at("day", "2026-11-21T18:01:30+08:00"),
    at("late", "2026-11-21T11:00:00Z"),
  ];
  expect(soonest(items, 3).map((one) => `${one.job} ${one.planTime}`)).toEqual([
    "beat 2026-11-21T10:01:00Z",
    "day 2026-11-21T18:01:30+08:00",
    "late 2026-11-21T11:00:00Z",
  ]);
  expect(soonest(items, 1)).toHaveLength(1);
});
