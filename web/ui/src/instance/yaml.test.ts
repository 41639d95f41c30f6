import { expect, test } from "vitest";
import { yamlOf } from "./yaml";

test("a definition reads as people write it", () => {
  const definition = {
    workflow: "shop",
    timeZone: "Europe/Berlin",
    startTime: "2026-01-01T00:00:00+01:00",
    jobs: {
      orders: {
        recurrence: { frequency: "day", schedule: { hours: [1, 13], minutes: [0] } },
        tags: [],
        params: {},
        enabled: true,
        limit: null,
        dependsOn: [{ job: "stock", select: "any" }, { job: "clean" }],
        action: { type: "shell", command: "set -e\necho hi\n\necho 'ho'\n", args: ["$1", "a: b"] },
      },
    },
  };
  expect(yamlOf(definition)).toEqual([
    "workflow: shop",
    "timeZone: Europe/Berlin",
    "startTime: 2026-01-01T00:00:00+01:00",
    "jobs:",
    "  orders:",
    "    recurrence:",
    "      frequency: day",
    "      schedule:",
    "        hours: [1, 13]",
    "        minutes: [0]",
    "    tags: []",
    "    params: {}",
    "    enabled: true",
    "    limit: null",
    "    dependsOn:",
    "      - job: stock",
    "        select: any",
    "      - job: clean",
    "    action:",
    "      type: shell",
    "      command: |",
    "        set -e",
    "        echo hi",
    "",
    "        echo 'ho'",
    '      args: ["$1", "a: b"]',
  ]);
});

test("what would say something else without quotes has them", () => {
  for (const value of [
    "",
    "true",
    "No",
    "1",
    "1.5",
    ".5",
    "# x",
    "a: b",
    "a #b",
    "- x",
    "*x",
    "a\u0000b",
    "\u202e",
    " a",
    "a ",
    "{}",
    "[1]",
    "<b>,",
    "0 * * * *",
  ]) {
    expect(yamlOf({ a: value })[0], value).toBe(`a: ${JSON.stringify(value)}`);
  }
  expect(yamlOf({ "a: b": "echo", "1": "x y" })).toEqual(['"1": x y', '"a: b": echo']);
  expect(yamlOf(["a\nb", 1])).toEqual(["- |-", "  a", "  b", "- 1"]);
  expect(yamlOf("x")).toEqual(["x"]);
});
