import { expect, test } from "vitest";
import { diff, hunks } from "./diff";

const shown = (before: string, after: string, most?: number) =>
  diff(before.split(""), after.split(""), most).map((line) => line.sign + line.text);

test("the shortest changes", () => {
  expect(shown("abcabba", "cbabac").filter((line) => line[0] !== " ")).toHaveLength(5);
  expect(shown("abc", "abc")).toEqual([" a", " b", " c"]);
  expect(shown("abd", "abcd")).toEqual([" a", " b", "+c", " d"]);
  expect(shown("abcd", "abd")).toEqual([" a", " b", "-c", " d"]);
  expect(shown("", "a")).toEqual(["+a"]);
});

test("either text can be read back out of what is shown", () => {
  let seed = 7;
  const next = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % n;
  };
  for (let round = 0; round < 300; round++) {
    const text = () => Array.from({ length: next(12) }, () => "abc"[next(3)] ?? "");
    const [before, after] = [text(), text()];
    for (const most of [2000, 2]) {
      const lines = diff(before, after, most);
      expect(lines.filter((line) => line.sign !== "+").map((line) => line.text)).toEqual(before);
      expect(lines.filter((line) => line.sign !== "-").map((line) => line.text)).toEqual(after);
    }
  }
});

test("texts without anything in common are taken whole, soon", () => {
  const before = Array.from({ length: 20_000 }, (_, n) => `a${n}`);
  const after = Array.from({ length: 20_000 }, (_, n) => `b${n}`);
  expect(diff(before, after, 500)).toHaveLength(40_000);
});

test("of equal lines those about a change are kept", () => {
  const before = Array.from({ length: 30 }, (_, n) => `line ${n}`);
  const after = before.with(10, "changed").with(12, "too");
  const { hunks: list, rest } = hunks(diff(before, after), 2);
  expect(list).toHaveLength(1);
  expect(list[0]?.skipped).toBe(8);
  expect(list[0]?.lines.map((line) => line.sign).join("")).toBe("  -+ -+  ");
  expect(rest).toBe(15);
  expect(hunks(diff(before, before))).toEqual({ hunks: [], rest: 30 });
});
