import { expect, test } from "vitest";
import { pieces, stripped } from "./ansi";

test("colours become classes of a closed table, and nothing else does", () => {
  expect(pieces("plain")).toEqual([{ text: "plain", classes: "" }]);
  expect(pieces("\u001b[1;31mbad\u001b[0m good")).toEqual([
    { text: "bad", classes: "ansi-bold ansi-fg-1" },
    { text: " good", classes: "" },
  ]);
  expect(pieces("\u001b[94mbright\u001b[39m")).toEqual([{ text: "bright", classes: "ansi-fg-4" }]);
  expect(pieces("\u001b[38;5;196mdeep\u001b[38;2;1;2;3mtrue\u001b[48;5;1;4mline")).toEqual([
    { text: "deeptrue", classes: "" },
    { text: "line", classes: "ansi-underline" },
  ]);
  expect(pieces("\u001b[999;77;5mx")).toEqual([{ text: "x", classes: "" }]);
});

test("what moves the cursor, makes links or titles, or is cut off is left out", () => {
  expect(stripped("a\u001b[2J\u001b[10;10Hb")).toBe("ab");
  expect(stripped("\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007")).toBe("click");
  expect(stripped("\u001b]0;title\u001b\\rest")).toBe("rest");
  expect(stripped("cut\u001b[31")).toBe("cut\ufffd[31");
  expect(stripped("cut\u001b")).toBe("cut");
  expect(stripped("a\u202egnp.exe")).toBe("a\ufffdgnp.exe");
  expect(pieces("<img src=x onerror=alert(1)>\u0000")[0]?.text).toBe("<img src=x onerror=alert(1)>\ufffd");
});
