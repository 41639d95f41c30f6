import { expect, test } from "vitest";
import { columnsOf, frontOf } from "./columns";
import { inScope, type JobNode, jobPattern, picked, strangers, taken, toggled } from "./scope";

const node = (name: string, part: Partial<JobNode> = {}): JobNode => ({ workflow: "w", job: name, ...part });
const nodes = [
  node("own", { asked: true }),
  node("up1", { up: 1 }),
  node("up2", { up: 2 }),
  node("off", { up: 1, disabled: true }),
  node("down1", { down: 1 }),
  node("down2", { down: 2 }),
  node("hand", { down: 1, manual: true }),
];

test("jobs are taken in by steps, all, or name", () => {
  expect([...taken(nodes, "up", "1")]).toEqual(["w/up1"]);
  expect([...taken(nodes, "down", "all")]).toEqual(["w/down1", "w/down2"]);
  expect([...taken(nodes, "up", "w/up2, w/gone")]).toEqual(["w/up2"]);
  expect(taken(nodes, "up", "").size).toBe(0);
  expect(strangers(nodes, "up", "w/up2, w/gone")).toEqual(["w/gone"]);
  expect(toggled(nodes, "down", "all", "w/down2")).toBe("w/down1");
  expect(toggled(nodes, "down", "w/down1", "w/down1")).toBe("");
});

test("what is chosen on the graph is the same as in the list", () => {
  const scope = { jobs: ["w/own"], upstream: "all", downstream: "1" };
  expect([...inScope(nodes, scope)]).toEqual(["w/own", "w/up1", "w/up2", "w/down1"]);
  expect(picked(nodes, scope, new Set(["w/own", "w/up1", "w/up2", "w/down1", "w/hand"]))).toEqual(scope);
  expect(picked(nodes, scope, new Set(["w/own", "w/up1", "w/down1", "w/down2"]))).toEqual({
    jobs: ["w/own"],
    upstream: "w/up1",
    downstream: "w/down1,w/down2",
  });
  expect(picked(nodes, scope, new Set(["w/up1"])).jobs).toEqual([]);
});

test.each([
  ["ord", "retail/orders", true],
  ["dwd_*", "retail/dwd_orders", true],
  ["dwd_*", "dwd_x/orders", false],
  ["workflow:retail job:dwd_?", "retail/dwd_1", true],
  ["workflow:retail job:dwd_?", "retail/dwd_10", false],
  ["job:retail/*", "retail/orders", true],
  ["job:orders,stock", "retail/stock", true],
  ["a.c", "w/abc", false],
])("%s matches %s: %s", (typed, name, is) => {
  expect(jobPattern(typed).matches(name)).toBe(is);
});

test("the server is asked for what is surely in the name", () => {
  expect(jobPattern("job:dwd_*_daily").ask).toBe("_daily");
  expect(jobPattern("job:a,b").ask).toBe("");
});

test("days are put together where there are more than columns, and what is worst is told", () => {
  const counts = { waiting: 0, running: 0, lost: 0, succeeded: 0, forced: 0, failed: 0, skipped: 0, cancelled: 0 };
  const days = Array.from({ length: 250 }, (_, n) => ({
    day: `d${n}`,
    instances: { ...counts, [n < 100 ? "succeeded" : "waiting"]: 4, ...(n === 3 ? { failed: 1 } : {}) },
  }));
  const columns = columnsOf(days, 120);
  expect(columns).toHaveLength(84);
  expect(columns[1]).toMatchObject({ from: "d3", to: "d5", total: 13, worst: "failed" });
  expect([frontOf(days, false), frontOf(days, true), frontOf(days.slice(0, 9), false)]).toEqual(["d100", "d249", ""]);
});
