import { expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { extent, minutesOf, ordered, rowsOf, runsOf, ticks, wall } from "./spans";

const t0 = Date.parse("2026-11-21T06:00:00+01:00");
const at = (seconds: number) => new Date(t0 + seconds * 1000).toISOString();

function attempt(id: number, step: string, from: number, to?: number, outcome?: Schemas["Attempt"]["outcome"]): Schemas["Attempt"] {
  return {
    id: String(id),
    instance: "1",
    instanceName: "w/j",
    step,
    number: 1,
    run: 1,
    fence: 1,
    startedAt: at(from),
    ...(to === undefined ? {} : { endedAt: at(to), outcome: outcome ?? "succeeded" }),
  };
}

function step(name: string, state: Schemas["Step"]["state"], needs: string[] = [], more: Partial<Schemas["Step"]> = {}): Schemas["Step"] {
  return { step: name, state, attempts: 1, needs, ...more };
}

function start(seconds: number): Schemas["Event"] {
  return { id: "1", at: at(seconds), kind: "start", from: "waiting", to: "running", reason: { code: "released", text: "" } };
}

const kinds = (rows: ReturnType<typeof rowsOf>) =>
  rows.map((row) => row.bars.map((bar) => `${bar.kind} ${(bar.from - t0) / 1000}-${(bar.to - t0) / 1000}`));

test("a step could run when what it needs had ended: until it did, it waited", () => {
  const steps = [step("a", "succeeded"), step("b", "succeeded", ["a"]), step("c", "succeeded", ["a", "b"])];
  const attempts = [attempt(1, "a", 0, 10), attempt(2, "b", 15, 20), attempt(3, "c", 20, 30)];
  const [run] = runsOf([start(0)], attempts, undefined);
  if (!run) throw new Error("no run");
  const rows = rowsOf(steps, attempts, run, t0 + 99_000, false);
  expect(kinds(rows)).toEqual([["run 0-10"], ["queue 10-15", "run 15-20"], ["run 20-30"]]);
  expect(rows[1]).toMatchObject({ waited: 5000, ran: 5000 });
  expect(extent(rows, run)).toEqual([t0, t0 + 30_000]);
});

test("what passed without an attempt holds nothing up", () => {
  const steps = [step("a", "succeeded"), step("skipped", "skipped", ["a"]), step("c", "succeeded", ["skipped"])];
  const attempts = [attempt(1, "a", 0, 10), attempt(3, "c", 12, 30)];
  const run = { n: 1, from: t0, before: Number.POSITIVE_INFINITY };
  expect(kinds(rowsOf(steps, attempts, run, t0, false))).toEqual([["run 0-10"], [], ["queue 10-12", "run 12-30"]]);
});

test("between attempts it waits to be tried again; what runs lasts until now", () => {
  const attempts = [attempt(1, "a", 0, 2, "failed"), attempt(2, "a", 12, 14, "failed"), attempt(3, "a", 30)];
  const run = { n: 1, from: t0, before: Number.POSITIVE_INFINITY };
  expect(kinds(rowsOf([step("a", "running")], attempts, run, t0 + 40_000, true))).toEqual([
    ["run 0-2", "retry 2-12", "run 12-14", "retry 14-30", "run 30-40"],
  ]);
  const waits = step("a", "waiting", [], { notBefore: at(60) });
  expect(kinds(rowsOf([waits], attempts.slice(0, 1), run, t0 + 40_000, true))).toEqual([["run 0-2", "retry 2-60"]]);
});

test("a rerun is a run of its own", () => {
  const attempts = [attempt(1, "a", 0, 2, "failed"), attempt(2, "a", 1000, 1005)];
  const runs = runsOf([start(0), start(1000)], attempts, undefined);
  expect(runs.map((run) => rowsOf([step("a", "succeeded")], attempts, run, t0, false)[0]?.attempts.map((one) => one.id))).toEqual([
    ["1"],
    ["2"],
  ]);
  expect(runsOf([], attempts, undefined)).toHaveLength(1);
  expect(runsOf([], [], undefined)).toEqual([]);
});

test("a step that needs a list of items waits for the last of them; the error action has a row of its own", () => {
  const steps = [
    step("each", "failed", [], { forEach: true }),
    step("after", "succeeded", ["each"]),
    step("each[0]", "succeeded", [], { itemOf: "each" }),
    step("each[1]", "failed", [], { itemOf: "each" }),
  ];
  const attempts = [attempt(1, "each[0]", 0, 5), attempt(2, "each[1]", 0, 9), attempt(3, "after", 11, 12)];
  attempts.push({ ...attempt(4, "", 13, 14), errorAction: true });
  const run = { n: 1, from: t0, before: Number.POSITIVE_INFINITY };
  const rows = rowsOf(steps, attempts, run, t0, false);
  expect(kinds(rows)).toEqual([[], ["queue 9-11", "run 11-12"], ["run 0-5"], ["run 0-9"], ["run 13-14"]]);
  expect(rows.at(-1)?.step).toBeNull();
});

test("ticks are round by the clock of the job", () => {
  const list = ticks([t0 + 7000, t0 + 65_000], 8, 60);
  expect(list.map((tick) => wall(tick, 60, true))).toEqual(["06:00:10", "06:00:20", "06:00:30", "06:00:40", "06:00:50", "06:01:00"]);
  expect(ticks([t0, t0 + 86_400_000 * 3], 8, 330).map((tick) => wall(tick, 330, false))).toEqual([
    "12:00",
    "00:00",
    "12:00",
    "00:00",
    "12:00",
    "00:00",
  ]);
  expect(ticks([t0, t0 + 86_400_000 * 400], 8, 0).length).toBeLessThanOrEqual(9);
  expect(minutesOf("2026-11-21T06:00:00+05:45")).toBe(345);
  expect(minutesOf("2026-11-21T06:00:00-03:30")).toBe(-210);
  expect(minutesOf("2026-11-21T06:00:00Z")).toBe(0);
});

test("items stand behind their step", () => {
  const steps = [
    step("a", "succeeded"),
    step("b", "waiting"),
    step("a[0]", "succeeded", [], { itemOf: "a" }),
    step("a[1]", "failed", [], { itemOf: "a" }),
  ];
  expect(ordered(steps).map((one) => one.step)).toEqual(["a", "a[0]", "a[1]", "b"]);
});

test("what watches for something does so until now, and holds no slot", () => {
  const waits = { since: at(3), looks: 7, last: "it is not there" };
  const run = { n: 1, from: t0, before: Number.POSITIVE_INFINITY };
  const rows = rowsOf([step("there", "running", [], { waits })], [], run, t0 + 9000, true);
  expect(kinds(rows)).toEqual([["queue 0-3", "watch 3-9"]]);
  expect(rows[0]).toMatchObject({ waited: 3000, ran: 6000 });
});
