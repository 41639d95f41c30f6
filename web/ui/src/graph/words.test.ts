import { expect, test } from "vitest";
import { merge } from "./data";
import { draw } from "./draw";
import { graphOf } from "./testdata";
import { rangeState, rangeWords } from "./words";

const t = ((key: string, values: object = {}) => `${key} ${Object.values(values).join()}`.trim()) as Parameters<typeof rangeWords>[1];

/** words are what is told of the range of three that the report waits for, and in which colour. */
function words(open: number | undefined, root?: "root" | "urgent"): [string, string] {
  const graph = graphOf(["report waiting 0", "orders1 unplanned -1"], ["orders1 > report 3"]);
  for (const edge of graph.edges) edge.open = open;
  const data = merge([graph]);
  const key = [...data.items.keys()].find((one) => one !== data.centre) ?? "";
  const roots = new Map(root === undefined ? [] : [[key, root] as const]);
  const node = [...draw(data, { open: new Set(), shut: new Set(), collapsed: () => false, roots }).nodes.values()].find(
    (one) => one.kind === "range",
  );
  if (node?.kind !== "range") throw new Error("no range");
  return [rangeWords(node, t), rangeState(node)];
}

test("a range that is only still to come is not told as a failure", () => {
  expect(words(3)).toEqual(["graph.rangeOpen 3", "waiting"]);
  expect(words(3, "root")).toEqual(["graph.rangeOpen 3", "waiting"]);
  expect(words(3, "urgent")).toEqual(["graph.rangeOpen 3", "failed"]);
  expect(words(100)).toEqual(["graph.rangeOpen 100+", "waiting"]);
});

test("a range that is not satisfied never says that none of it is not done", () => {
  expect(words(undefined)).toEqual(["instance.unsatisfied", "waiting"]);
});
