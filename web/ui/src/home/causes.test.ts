import { expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { incidentOf, keeps, troubles } from "./causes";

function explanation(name: string, roots: string[]): Schemas["Explanation"] {
  const cause = (of: string): Schemas["Cause"] => ({
    name: of,
    workflow: "w",
    job: "j",
    planTime: "2026-11-21T00:00:00Z",
    reason: { code: "upstream", text: "" },
    forecast: {},
  });
  return { instance: { id: name, name } as Schemas["Instance"], roots: roots.map(cause) } as Schemas["Explanation"];
}

test("what waits is put together by its root cause, the one that keeps most first", () => {
  const list = troubles([explanation("a", ["x"]), explanation("b", ["y"]), explanation("c", ["y", "x"]), explanation("d", ["y"])]);
  expect(list.map((one) => [one.cause.name, one.blocked.map((instance) => instance.name)])).toEqual([
    ["y", ["b", "c", "d"]],
    ["x", ["a", "c"]],
  ]);
});

test("an instance that is its own cause keeps nobody else", () => {
  expect(troubles([explanation("a", ["a"])])).toMatchObject([{ cause: { name: "a" }, blocked: [] }]);
});

test("what an incident counted goes beyond what was asked", () => {
  const [trouble] = troubles([explanation("a", ["x"])]);
  if (!trouble) throw new Error("there is none");
  const incident = (root: string, blocked: number) => ({ id: "1", root: { id: root }, blocked }) as Schemas["Incident"];
  expect(incidentOf(trouble.cause, [incident("7", 500)])).toBeUndefined();
  const cause = { ...trouble.cause, instance: "7" };
  expect(incidentOf(cause, [incident("8", 3), incident("7", 500)])?.blocked).toBe(500);
  expect(keeps(cause, trouble.blocked, [incident("7", 500)])).toBe(500);
  expect(keeps(cause, trouble.blocked, [])).toBe(1);
});
