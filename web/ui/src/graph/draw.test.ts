import { expect, test } from "vitest";
import { merge, withMembers } from "./data";
import { type Drawn, draw, type Picture, shapeOf, type View } from "./draw";
import { graphOf } from "./testdata";

const view = (patch: Partial<View> = {}): View => ({
  open: new Set(),
  shut: new Set(),
  collapsed: () => false,
  roots: new Map(),
  ...patch,
});
const short = (node: Drawn | undefined) => {
  if (node?.kind === "instance") return node.item.instance.name.slice(2, node.item.instance.name.indexOf("@"));
  if (node?.kind === "range") return `${node.wait.edge.count}×${node.wait.edge.job}`;
  return `${node?.job}[${node?.items.length}]`;
};
const names = (picture: Picture) => [...picture.nodes.values()].map(short).sort();
const lines = (picture: Picture) =>
  picture.lines.map((line) => `${short(picture.nodes.get(line.from))} > ${short(picture.nodes.get(line.to))}`).sort();

const range = graphOf(
  ["sums waiting 0", "quarter1 succeeded -1", "quarter2 failed -1", "table succeeded -2", "source failed -2", "report waiting 1"],
  ["quarter1,quarter2 > sums 96", "table > quarter1", "source > quarter2", "sums > report"],
);

test("a range is one line with its count; what of it is not done stands by itself, and what led to the rest is not drawn", () => {
  const picture = draw(merge([range]), view());
  expect(names(picture)).toEqual(["96×quarter", "quarter2", "report", "source", "sums"]);
  expect(lines(picture)).toEqual(["96×quarter > sums", "quarter2 > 96×quarter", "source > quarter2", "sums > report"]);
});

test("a range that is opened shows all that is known, one that is shut nothing", () => {
  const key = [...merge([range]).waits.values()][0]?.range ?? "";
  expect(names(draw(merge([range]), view({ open: new Set([key]) })))).toEqual(
    ["96×quarter", "quarter1", "quarter2", "report", "source", "sums", "table"].sort(),
  );
  expect(names(draw(merge([range]), view({ shut: new Set([key]) })))).toEqual(["96×quarter", "report", "sums"]);
  const instance = { ...graphOf(["quarter3 succeeded"]).nodes[0]?.instance };
  const more = withMembers(merge([range]), key, [instance as Parameters<typeof withMembers>[2][number]]);
  expect(names(draw(more, view({ open: new Set([key]) })))).toContain("quarter3");
});

test("the instance that was asked for is drawn in its range, though it is done", () => {
  const picture = draw(
    merge([graphOf(["quarter1 succeeded 0", "sums waiting 1"], ["quarter1 > sums 96"])]),
    view({ shut: new Set(["x"]) }),
  );
  expect(lines(picture)).toEqual(["96×quarter > sums", "quarter1 > 96×quarter"]);
});

test("jobs that are collapsed are one node, and their lines one line", () => {
  const data = merge([
    graphOf(
      ["d waiting 0", "b1 waiting -1", "b2 failed -1", "a succeeded -2"],
      ["b1 > d", "b2 > d", "a > b1", "a > b2 1 satisfied", "b1 > b2"],
    ),
  ]);
  const picture = draw(data, view({ collapsed: (job) => job === "w/b" }));
  expect(names(picture)).toEqual(["a", "b[2]", "d"]);
  expect(lines(picture)).toEqual(["a > b[2]", "b[2] > d"]);
  const line = picture.lines.find((one) => one.to.startsWith("job "));
  expect([line?.waits.length, line?.satisfied]).toEqual([2, false]);
});

test("the lines between a root cause and the centre are marked, and no others", () => {
  const data = merge([
    graphOf(
      ["d waiting 0", "b waiting -1", "c succeeded -1", "a failed -2", "e waiting 1", "f waiting -1"],
      ["b > d", "c > d 1 satisfied", "a > b", "a > c 1 satisfied", "d > e", "a > e", "f > d"],
    ),
  ]);
  const root = [...data.items.values()].find((item) => item.instance.job === "a")?.key ?? "";
  const picture = draw(data, view({ roots: new Map([[root, "urgent"]]) }));
  const blocking = picture.lines
    .filter((line) => line.blocking === "urgent")
    .map((line) => `${short(picture.nodes.get(line.from))}${short(picture.nodes.get(line.to))}`);
  expect(blocking.sort()).toEqual(["ab", "bd"]);
});

test("another state is the same shape, another node is not", () => {
  const before = draw(merge([graphOf(["b waiting 0", "a running -1"], ["a > b"])]), view());
  expect(shapeOf(draw(merge([graphOf(["b running 0", "a succeeded -1"], ["a > b 1 satisfied"])]), view()))).toBe(shapeOf(before));
  expect(shapeOf(draw(merge([graphOf(["b waiting 0", "a running -1", "c waiting 1"], ["a > b", "b > c"])]), view()))).not.toBe(
    shapeOf(before),
  );
});

test("a circle of dependencies is drawn, and ends", () => {
  const picture = draw(merge([graphOf(["a waiting 0", "b waiting -1"], ["a > b", "b > a"])]), view());
  expect(lines(picture)).toEqual(["a > b", "b > a"]);
});

test("a range is in the way of somebody's doing only when a root cause that needs somebody leads to it", () => {
  const data = merge([range]);
  const source = [...data.items.values()].find((item) => item.instance.job === "source")?.key ?? "";
  const blocking = (root: "root" | "urgent", shut: string[] = []) => {
    const node = [...draw(data, view({ roots: new Map([[source, root]]), shut: new Set(shut) })).nodes.values()].find(
      (one) => one.kind === "range",
    );
    return node?.kind === "range" ? node.blocking : undefined;
  };
  expect(blocking("root")).toBe("root");
  expect(blocking("urgent")).toBe("urgent");
  const quarter = [...data.items.values()].find((item) => item.instance.state === "failed")?.key ?? "";
  const key = [...data.waits.values()].find((wait) => wait.range !== "")?.range ?? "";
  const shut = draw(data, view({ roots: new Map([[quarter, "urgent"]]), shut: new Set([key]) }));
  expect([...shut.nodes.values()].find((one) => one.kind === "range")).toMatchObject({ blocking: "urgent", shown: 0 });
});
