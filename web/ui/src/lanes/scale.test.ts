import { expect, test } from "vitest";
import { Scale, ticks } from "./scale";

const hours = (from: string, to: string, zone: string) =>
  ticks(Date.parse(from), Date.parse(to), zone, 80 / 3_600_000, 40).map((tick) => tick.label);

test("a day without a change of the clock has 24 hours", () => {
  const day = hours("2026-11-20T16:00:00Z", "2026-11-21T16:00:00Z", "Asia/Shanghai");
  expect(day).toHaveLength(24);
  expect(day.slice(0, 3)).toEqual(["00:00", "01:00", "02:00"]);
});

test("the hour that is left out is left out, and the one that comes twice is said twice", () => {
  const spring = hours("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "Europe/Berlin");
  expect(spring).toHaveLength(23);
  expect(spring.slice(0, 4)).toEqual(["00:00", "01:00", "03:00", "04:00"]);
  const autumn = hours("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "Europe/Berlin");
  expect(autumn).toHaveLength(25);
  expect(autumn.slice(0, 5)).toEqual(["00:00", "01:00", "02:00", "02:00", "03:00"]);
});

test("full hours are those of the zone's clock, also where it is put by half an hour or stands at a quarter", () => {
  expect(hours("2026-11-20T18:15:00Z", "2026-11-20T21:15:00Z", "Asia/Kathmandu")).toEqual(["00:00", "01:00", "02:00"]);
  // Lord Howe puts its clock forward by half an hour, at 02:00.
  expect(hours("2026-10-03T13:30:00Z", "2026-10-03T17:00:00Z", "Australia/Lord_Howe")).toEqual(["00:00", "01:00", "03:00"]);
});

test("a zone that the browser does not know is UTC, and a long window has days", () => {
  expect(hours("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z", "Mars/Base")).toEqual(["00:00", "01:00"]);
  const week = ticks(Date.parse("2026-11-16T00:00:00Z"), Date.parse("2026-11-23T00:00:00Z"), "UTC", 200 / 86_400_000, 100);
  expect(week.map((tick) => tick.label).filter((label) => label !== "")).toEqual([
    "2026-11-16",
    "2026-11-17",
    "2026-11-18",
    "2026-11-19",
    "2026-11-20",
    "2026-11-21",
    "2026-11-22",
  ]);
});

test("between the hours that are said there are lines for the others", () => {
  const day = ticks(Date.parse("2026-11-21T00:00:00Z"), Date.parse("2026-11-22T00:00:00Z"), "UTC", 30 / 3_600_000, 22);
  expect(day.slice(0, 4).map((tick) => tick.label)).toEqual(["00:00", "", "02:00", ""]);
});

test("a frame that is kept is shown again", () => {
  const scale = new Scale(0, 86_400_000, 1000, 4);
  const frame = scale.frame(1500);
  expect(scale.scrolled(frame)).toBeCloseTo(1500);
  expect(scale.at(scale.x(12_345))).toBeCloseTo(12_345);
  expect(scale.scrolled({ zoom: 4, at: -1 })).toBe(0);
  expect(scale.scrolled({ zoom: 4, at: 1e12 })).toBe(3000);
});

test("no zoom is out of bounds", () => {
  for (const zoom of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(new Scale(0, 86_400_000, 1000, zoom).zoom).toBe(1);
  expect(new Scale(0, 86_400_000, 1000, 1e9).zoom).toBe(96);
});
