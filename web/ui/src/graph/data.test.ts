import { expect, test } from "vitest";
import { keyOf, merge } from "./data";
import { graphOf } from "./testdata";

test("what one answer shows is not missing in another", () => {
  const first = graphOf(["d waiting 0", "c waiting -1"], ["c > d"], { c: { up: 2, down: 3 } });
  const besides = graphOf(["c running 0", "b waiting -1", "a waiting -1"], ["b > c", "a > c"], { c: { up: 0, down: 4 }, a: { up: 1 } });
  const data = merge([first, besides]);
  const of = (job: string) => [...data.items.values()].find((item) => item.instance.job === job);
  expect([of("c")?.moreUp, of("c")?.moreDown, of("c")?.hop, of("c")?.instance.state]).toEqual([0, 3, -1, "running"]);
  expect(of("a")?.moreUp).toBe(1);
  expect(data.centre).toBe(of("d")?.key);
  expect(data.waits.size).toBe(3);
});

test("a range has one name, and tells itself what it leaves out", () => {
  const data = merge([graphOf(["d waiting 0", "q1 failed -1", "e waiting 1"], ["q1 > d 96", "q1 > e 96"], { d: { up: 95 } })]);
  expect(new Set([...data.waits.values()].map((wait) => wait.range))).toEqual(new Set(["w/q~2026-11-20T00:00:00Z~2026-11-20T23:45:00Z"]));
  expect([...data.items.values()].map((item) => item.moreUp)).toEqual([0, 0, 0]);
});

test("what is not planned is known by its job and its time, in whatever zone that is told", () => {
  const one = { id: "0", workflow: "w", job: "a" };
  expect(keyOf(false, { ...one, planTime: "2026-11-20T08:00:00+05:00" })).toBe("w/a@2026-11-20T03:00:00Z");
  expect(keyOf(true, { ...one, id: "7", planTime: "2026-11-20T08:00:00+05:00" })).toBe("7");
});
