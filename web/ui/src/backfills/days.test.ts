import { expect, test } from "vitest";
import { compress, ends, expand, isDay, month, plus, plusMonths, weekday } from "./days";

test("days of the calendar and no others", () => {
  expect(["2026-10-01", "2024-02-29"].every(isDay)).toBe(true);
  expect(["2026-02-29", "2026-13-01", "2026-1-1", "", "yesterday", "2026-10-01T00:00"].some(isDay)).toBe(false);
});

test("days are counted over the ends of months and years", () => {
  expect(plus("2026-12-31", 1)).toBe("2027-01-01");
  expect(plus("2024-03-01", -1)).toBe("2024-02-29");
  expect(plusMonths("2026-01-31", 1)).toBe("2026-02-28");
  expect(plusMonths("2026-01-15", -1)).toBe("2025-12-15");
  expect(plusMonths("2024-12-31", 2)).toBe("2025-02-28");
  expect(weekday("2026-11-21")).toBe(5);
});

test("a month has whole weeks from Monday on", () => {
  const weeks = month("2026-11-21");
  expect(weeks[0]?.[0]).toBe("2026-10-26");
  expect(weeks.at(-1)?.[6]).toBe("2026-12-06");
  expect(month("2027-02-01")).toHaveLength(4); // begins on a Monday and has 28 days
});

test("days and ranges are read and written, and what is none is not", () => {
  expect(expand("2026-10-01, 2026-10-15..17")).toEqual(["2026-10-01", "2026-10-15", "2026-10-16", "2026-10-17"]);
  expect(expand("2026-10-30..11-02")).toHaveLength(4);
  expect(ends("2026-12-30..2027-01-02")).toEqual(["2026-12-30", "2027-01-02"]);
  expect([expand("2026-10-17..15"), expand("x"), expand("2026-10-01..")]).toEqual([null, null, null]);
  expect(expand("")).toEqual([]);
  expect(expand("0001-01-01..9999-12-31")).toHaveLength(4_000);
  const text = "2026-10-01,2026-10-15..17,2026-10-30..2026-11-02";
  expect(compress(expand(text) ?? [])).toBe(text);
});
