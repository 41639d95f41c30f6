import { expect, test } from "vitest";
import { downstream } from "./downstream";
import { arrange, curve } from "./layout";
import { walk } from "./walk";

const box = { width: 228, height: 62 };

test("what is waited for stands left of what waits, and no two boxes overlap", () => {
  const edges: [number, number][] = Array.from({ length: 59 }, (_, n) => [Math.floor(n / 3), n + 1]);
  const { places, bends } = arrange({ boxes: Array.from({ length: 60 }, () => box), edges });
  for (const [from, to] of edges) expect((places[from]?.[0] ?? 0) + box.width).toBeLessThan(places[to]?.[0] ?? 0);
  for (const [n, [x, y]] of places.entries()) {
    for (const [x2, y2] of places.slice(n + 1)) expect(Math.abs(x - x2) >= box.width || Math.abs(y - y2) >= box.height).toBe(true);
  }
  expect(bends.length).toBe(edges.length);
});

test("circles, doubles and single boxes are laid out too", () => {
  const edges: [number, number][] = [
    [0, 1],
    [1, 0],
    [0, 1],
  ];
  expect(arrange({ boxes: [box, box, box], edges }).places.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  expect(arrange({ boxes: [], edges: [] }).places).toEqual([]);
});

test("a line goes through its bends to its end", () => {
  expect(curve([0, 0], [[100, 50]], [200, 0])).toBe("M0 0C50 0 50 50 100 50C150 50 150 0 200 0");
  expect(curve([200, 0], [], [100, 10])).toBe("M200 0C280 0 20 10 100 10");
});

test("arrow keys go along the lines and within a column", () => {
  const spots = [
    { key: "a", x: 0, y: 0 },
    { key: "b", x: 300, y: -40 },
    { key: "c", x: 300, y: 90 },
    { key: "d", x: 600, y: 0 },
  ];
  const lines = [
    { from: "a", to: "b" },
    { from: "a", to: "c" },
    { from: "b", to: "d" },
  ];
  const go = (key: string, step: Parameters<typeof walk>[1]) => {
    const from = spots.find((spot) => spot.key === key);
    return from ? walk(from, step, spots, lines) : null;
  };
  expect([go("a", "right"), go("b", "right"), go("d", "left"), go("b", "left"), go("a", "left")]).toEqual(["b", "d", "b", "a", null]);
  expect([go("b", "down"), go("c", "up"), go("b", "up")]).toEqual(["c", "b", null]);
  expect(go("c", "down")).toBeNull();
});

test("everything after a job is found once, in circles too", () => {
  const lines = ["ab", "bc", "ca", "cd", "xy"].map((two) => ({ from: two[0] ?? "", to: two[1] ?? "" }));
  expect(downstream("b", lines).sort()).toEqual(["a", "b", "c", "d"]);
  expect(downstream("y", lines)).toEqual(["y"]);
});
