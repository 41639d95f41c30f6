import { expect, test } from "vitest";
import { wrongParts } from "./wrongparts";

const marked = (selector: string, ...mistakes: string[]) =>
  wrongParts(selector, mistakes)
    .map((part) => (part.wrong ? `[${part.text}]` : part.text))
    .join("");

test("the terms that the server names are marked, and the rest is as it was typed", () => {
  expect(marked("stat:failed date:2026-13-01", "column 1: there is no term stat:", 'column 13: "2026-13-01" is no day')).toBe(
    "[stat:failed] [date:2026-13-01]",
  );
  expect(marked("job:a  stat:b tag:c", "column 8: there is no term stat:")).toBe("job:a  [stat:b] tag:c");
  expect(marked("job:作业 x y", "column 12: which term is it?")).toBe("job:作业 [x] y");
  expect(marked("a b", "column 3: inside")).toBe("a [b]");
});

test("what has no column, or one beyond the end, marks nothing", () => {
  expect(marked("job:a", "it is too long", "column 99: x", "column 0: x")).toBe("job:a");
  expect(wrongParts("", ["column 1: it is empty"])).toEqual([]);
});
