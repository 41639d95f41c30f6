import { expect, test } from "vitest";
import { translate } from "../i18n/language";
import { beside, between, bytes, clock, clocks, offset, span } from "./time";

const t = (key: Parameters<typeof translate>[1], values?: Parameters<typeof translate>[2]) => translate("en", key, values);

test("a time is shown in the offset that it came with", () => {
  expect(clock("2026-10-25T02:30:00+02:00")).toBe("2026-10-25 02:30");
  expect(clock("2026-10-25T02:30:05.123+01:00")).toBe("2026-10-25 02:30:05");
  expect(clock("<b>")).toBe("<b>");
  expect(offset("2026-10-25T02:30:00+05:45")).toBe("+05:45");
  expect(offset("2026-10-25T02:30:00Z")).toBe("UTC");
});

test("a duration has its two largest units", () => {
  expect(span(0.0125, t)).toBe("13 ms");
  expect(span(1.26, t)).toBe("1.3 s");
  expect(span(61, t)).toBe("1 min 1 s");
  expect(span(3600, t)).toBe("1 h");
  expect(span(90_061, t)).toBe("1 d 1 h");
  expect(span(59.7, t)).toBe("1 min");
  expect(between("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", t)).toBe("1 h");
});

test("a size", () => {
  expect(bytes(0)).toBe("0 B");
  expect(bytes(1536)).toBe("1.5 KiB");
  expect(bytes(100 * 1024 * 1024)).toBe("100.0 MiB");
});

test("two zones are told apart", () => {
  expect(beside("2026-11-20T00:00:00-05:00", "2026-11-20T22:00:00+08:00")).toBe("2026-11-20 00:00 -05:00");
  expect(beside("2026-11-20T00:00:00+08:00", "2026-11-20T22:00:00+08:00")).toBe("2026-11-20 00:00");
  expect(beside("2026-11-20T00:00:00Z", undefined)).toBe("2026-11-20 00:00");
});

test("a list of several zones has their offsets", () => {
  const [berlin, utc] = ["2026-11-21T20:46:17+01:00", "2026-11-21T19:46:17Z"];
  expect([berlin, utc].map(clocks([berlin, utc, undefined]))).toEqual(["2026-11-21 20:46:17 +01:00", "2026-11-21 19:46:17 UTC"]);
  expect([berlin].map(clocks([berlin, undefined]))).toEqual(["2026-11-21 20:46:17"]);
  expect(clocks([])(undefined)).toBe("");
});
