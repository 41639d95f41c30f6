import { expect, test } from "vitest";
import { firstSight } from "./sight";

test("what fits stands in the middle", () => {
  expect(firstSight(100, 600, 800, 44)).toBe(100);
});

test("what does not fit begins at the side, or ends there, or shows what is marked", () => {
  expect(firstSight(120, 2000, 800, 44)).toBe(40);
  expect(firstSight(0, 2000, 800, 44)).toBe(44);
  expect(firstSight(2000, 2000, 800, 44)).toBe(800 - 44 - 2000);
  const middle = firstSight(1000, 2000, 800, 44);
  expect(middle + 1000).toBe(400);
});
