import { expect, test } from "vitest";
import { iso, period } from "./period";

const minute = 60_000;
const hour = 60 * minute;

test.each([
  ["PT20M", 20 * minute],
  ["pt1h30m", 90 * minute],
  ["PT0.5S", 500],
  ["P1DT1S", 24 * hour + 1_000],
  ["20", 20 * minute],
  ["1h30", 90 * minute],
  ["1 h 30 min", 90 * minute],
  ["2d 1h", 49 * hour],
  ["45s", 45_000],
  ["90 m", 90 * minute],
  [" 1.5h ", 90 * minute],
])("%s is a duration", (text, milliseconds) => expect(period(text)).toBe(milliseconds));

test.each(["", "P", "PT", "P1Y", "P1M", "soon", "-5", "1h30x", "PT-1M", "1 2 3", "20 min 1h"])("%j is none", (text) =>
  expect(period(text)).toBeUndefined(),
);

test("a duration is written as the API takes it, and read again", () => {
  for (const [milliseconds, text] of [
    [0, "PT0S"],
    [90 * minute, "PT1H30M"],
    [26 * hour, "PT26H"],
    [61_500, "PT1M1.5S"],
  ] as const) {
    expect(iso(milliseconds)).toBe(text);
    expect(period(text)).toBe(milliseconds);
  }
  expect(iso(-5)).toBe("PT0S");
});
