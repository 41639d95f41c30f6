import { expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { hopsTo, lacks, rootsOf, split } from "./roots";
import { graphOf } from "./testdata";

type Cause = Schemas["Cause"];

const cause = (job: string, instance: string | undefined, ...up: Cause[]): Cause => ({
  name: `w/${job}`,
  workflow: "w",
  job,
  planTime: "2026-11-20T05:00:00+02:00",
  instance,
  reason: { code: "upstream", text: "" },
  forecast: {},
  dependencies: up.length === 0 ? undefined : [{ text: "", rule: "", count: up.length, causes: up }],
});

test("roots are found in the tree, the nearest first, planned or not", () => {
  const far = cause("far", "9");
  const next = cause("next", undefined);
  const tree = {
    dependencies: [{ causes: [cause("a", "1", cause("b", "2", far), next)] }],
    roots: [far, next],
  } as unknown as Schemas["Explanation"];
  const roots = rootsOf(tree);
  expect(roots.map((root) => [root.key, root.hops])).toEqual([
    ["w/next@2026-11-20T03:00:00Z", 2],
    ["9", 3],
  ]);
  expect(hopsTo(roots)).toBe(3);
});

test("two hops are shown when nothing is in the way, and no more than ten however far the cause is", () => {
  expect(hopsTo([])).toBe(2);
  const far = { key: "9", cause: cause("far", "9") };
  expect(hopsTo([{ ...far, hops: 40 }])).toBe(10);
  expect(
    hopsTo([
      { ...far, hops: 3 },
      { ...far, hops: 40 },
    ]),
  ).toBe(3);
});

test("one root of each job comes first", () => {
  const roots = ["a", "a", "b", "c", "d"].map((job, n) => ({ key: String(n), hops: n, cause: cause(job, String(n)) }));
  const { first, others } = split(roots, 3);
  expect([first.map((root) => root.key), others.map((root) => root.key)]).toEqual([
    ["0", "2", "3"],
    ["1", "4"],
  ]);
});

test("a root cause within the hops that are shown is missed when the nearest are too many", () => {
  const graph = graphOf(["report", "load waiting -1"]);
  const there = graph.nodes[1]?.instance.id ?? "";
  const root = (key: string, hops: number) => ({ key, hops, cause: cause("x", key) });
  expect(lacks(graph, [root(there, 1)], 3)).toBe(false);
  expect(lacks(graph, [root(there, 1), root("959", 3)], 3)).toBe(true);
  expect(lacks(graph, [root("959", 4), root("8", 0)], 3)).toBe(false); // farther than is asked for, and the instance itself
});
