import { expect, test } from "vitest";
import { firstSight, whole } from "./sight";

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

test("no column is cut where the picture begins", () => {
  const starts = [0, 213, 426, 639, 852, 1065];
  const at = firstSight(639 + 84, 1233, 720, 44);
  expect(at + 213).toBeLessThan(0); // the second column would be cut
  expect(at + 213 + 168).toBeGreaterThan(0);
  const moved = whole(at, starts, 168, 639, 720, 44);
  expect(moved).toBe(44 - 213);
  expect(639 + 168 + moved).toBeLessThanOrEqual(720 - 44); // and what is marked is in sight
});

test("the column that is marked stays in sight, and what is whole stays where it is", () => {
  expect(whole(-500, [0, 400, 800], 168, 800, 300, 44)).toBe(44 - 800);
  expect(whole(44, [0, 210, 420, 630], 168, 0, 500, 44)).toBe(44);
});
