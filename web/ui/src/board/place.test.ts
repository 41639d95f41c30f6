import { expect, test } from "vitest";
import { hasWords, isDate, isSelector, readPlace, shifted, writePlace } from "./place";

test("what is written into the address is read out of it", () => {
  const place = {
    date: "2026-11-21",
    zone: "Asia/Tokyo",
    find: "job:a b",
    states: ["failed", "late"],
    folded: ["*"],
    edges: true,
    frame: { zoom: 2.25, at: 1_763_700_000_000 },
  };
  expect(readPlace("2026-11-21", new URLSearchParams(writePlace(place)))).toEqual(place);
  expect(writePlace(readPlace(undefined, new URLSearchParams()))).toEqual({});
});

test("what is no date is today, and what is no frame is the whole day", () => {
  expect(readPlace("2026-02-30", new URLSearchParams("zoom=nan&at=x")).date).toBe("today");
  expect(readPlace("x", new URLSearchParams("zoom=0&at=1")).frame).toBeUndefined();
  expect(["2026-02-29", "2028-02-29", "26-1-1", ""].map(isDate)).toEqual([false, true, false, false]);
});

test("days follow each other over months and years", () => {
  expect(shifted("2026-12-31", 1)).toBe("2027-01-01");
  expect(shifted("2028-03-01", -1)).toBe("2028-02-29");
});

test("a search is a selector by its signs, else words", () => {
  expect(["job:x", "a/b@2026-11-21T05:00", "4217", "x +2", "2+"].map(isSelector)).toEqual([true, true, true, true, true]);
  expect(["orders", "shop/ord", "a-b c"].map(isSelector)).toEqual([false, false, false]);
  expect(hasWords("SHOP ord", "shop/orders")).toBe(true);
  expect(hasWords("shop x", "shop/orders")).toBe(false);
});
