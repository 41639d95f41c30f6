import { expect, test } from "vitest";
import { needsSomebody } from "./needs";

test("what only takes its time needs nobody, planned or not", () => {
  expect(needsSomebody({})).toBe(false); // not planned yet
  expect(needsSomebody({ gate: "time" })).toBe(false);
  expect(needsSomebody({ state: "running" })).toBe(false);
  for (const gate of ["time", "slot", "concurrency", "retry"]) expect(needsSomebody({ state: "waiting", gate })).toBe(false);
});

test("what stays as it is until somebody does something needs somebody", () => {
  expect(needsSomebody({ state: "failed", help: "almanac rerun w/a" })).toBe(true);
  expect(needsSomebody({ state: "cancelled" })).toBe(true);
  for (const gate of ["confirm", "frozen", "dependency", "disk"]) expect(needsSomebody({ state: "waiting", gate })).toBe(true);
  expect(needsSomebody({ gate: "time", help: "almanac resume w" })).toBe(true); // not planned yet, and paused
});
