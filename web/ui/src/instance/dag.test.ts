import { expect, test } from "vitest";
import { box, drawDag, pathOf } from "./dag";

const layer = (x: number) => x / (box.width + box.across);

test("each step stands right of all that it needs", () => {
  const drawing = drawDag([
    { name: "load", needs: ["fetch", "check"] },
    { name: "fetch", needs: [] },
    { name: "check", needs: ["fetch"] },
    { name: "alone", needs: [] },
  ]);
  const at = Object.fromEntries(drawing.nodes.map((node) => [node.name, layer(node.x)]));
  expect(at).toEqual({ fetch: 0, alone: 0, check: 1, load: 2 });
  expect(drawing.edges.map((edge) => `${edge.from}>${edge.to}`).sort()).toEqual(["check>load", "fetch>check", "fetch>load"]);
  expect(drawing.width).toBe(3 * box.width + 2 * box.across);
});

test("no step covers another, and a long edge passes beside the steps between", () => {
  const drawing = drawDag([
    { name: "a", needs: [] },
    { name: "b", needs: ["a"] },
    { name: "c", needs: ["b"] },
    { name: "d", needs: ["a", "c"] },
    { name: "e", needs: ["a"] },
  ]);
  for (const one of drawing.nodes) {
    expect(one.y).toBeGreaterThanOrEqual(0);
    expect(one.y + box.height).toBeLessThanOrEqual(drawing.height);
    for (const other of drawing.nodes) {
      if (one !== other && one.x === other.x) expect(Math.abs(one.y - other.y)).toBeGreaterThanOrEqual(box.height + box.down);
    }
  }
  const long = drawing.edges.find((edge) => edge.from === "a" && edge.to === "d");
  expect(long?.points).toHaveLength(6);
  for (const [x, y] of long?.points.slice(1, -1) ?? []) {
    for (const node of drawing.nodes) {
      if (x >= node.x && x <= node.x + box.width) expect(y < node.y || y > node.y + box.height).toBe(true);
    }
  }
});

test("a need that is no step and a circle end nothing", () => {
  expect(drawDag([])).toEqual({ nodes: [], edges: [], width: 0, height: 0 });
  const drawing = drawDag([
    { name: "a", needs: ["gone", "b"] },
    { name: "b", needs: ["a"] },
  ]);
  expect(drawing.nodes).toHaveLength(2);
  expect(drawing.edges).toHaveLength(1);
});

test("what is joined stands side by side: two chains do not cross", () => {
  const drawing = drawDag([
    { name: "a1", needs: [] },
    { name: "b1", needs: [] },
    { name: "b2", needs: ["b1"] },
    { name: "a2", needs: ["a1"] },
  ]);
  const y = Object.fromEntries(drawing.nodes.map((node) => [node.name, node.y]));
  expect((y.a1 ?? 0) < (y.b1 ?? 0)).toBe((y.a2 ?? 0) < (y.b2 ?? 0));
});

test("the path of an edge", () => {
  expect(
    pathOf([
      [0, 10],
      [20, 30],
      [50, 30],
    ]),
  ).toBe("M0 10C10 10 10 30 20 30L50 30");
});
