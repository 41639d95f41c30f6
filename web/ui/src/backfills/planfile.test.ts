import { expect, test } from "vitest";
import { compare, filtered, format, planText, readPlan } from "./planfile";
import type { Plan, PlanRow } from "./queries";

const row = (day: number, part: Partial<PlanRow> = {}): PlanRow => ({
  job: "w/j",
  planTime: `2026-10-0${day}T01:00:00Z`,
  in: true,
  why: "missing",
  ...part,
});
const plan = (instances: PlanRow[]): Plan => ({
  format,
  id: "bf-0123456789ab",
  at: "2026-11-21T08:00:00Z",
  fingerprint: "f",
  request: { jobs: ["w/j"], from: "2026-10-01", to: "2026-10-03" },
  in: instances.filter((one) => one.in).length,
  out: instances.filter((one) => !one.in).length,
  why: { missing: instances.length },
  jobs: [{ workflow: "w", job: "j", definition: "d", fingerprint: "f", in: instances.length, out: 0 }],
  listing: "l",
  instances,
});

test("a plan is written an instance a line, as the program writes it, and read again", () => {
  const saved = plan([row(1, { waits: ["w/a@2026-10-01 (x > 1 & <b>)"] }), row(2)]);
  const text = planText(saved);
  expect(text.split("\n").filter((line) => line.startsWith('    {"job"'))).toHaveLength(2);
  expect(text).toContain("\\u003cb\\u003e");
  expect(text.endsWith('"in":true,"why":"missing"}\n  ]\n}\n')).toBe(true);
  expect(readPlan(text)).toEqual(saved);
  expect(planText(plan([]))).not.toContain('"instances"');
});

const range = (from: number, to: number, why = "missing") => ({
  from: `2026-10-0${from}T01:00:00Z`,
  to: `2026-10-0${to}T01:00:00Z`,
  instances: to - from + 1,
  in: true,
  why,
});
const long = (...ranges: ReturnType<typeof range>[]): Plan => {
  const { instances: _, ...head } = plan([]);
  return { ...head, in: 9, jobs: [{ workflow: "w", job: "j", definition: "d", fingerprint: "f", in: 9, out: 0, ranges }] };
};

test("long plans, which list nothing, are compared by their ranges", () => {
  expect(readPlan(planText(long(range(1, 9))))).toEqual(long(range(1, 9)));
  expect(compare(long(range(1, 9)), long(range(1, 9))).changes).toEqual([]);
  const { changes } = compare(long(range(1, 9)), long(range(1, 4), range(5, 5, "open"), range(6, 9)));
  expect(changes.map(({ job, planTime, n, was, is }) => [job, planTime.slice(8, 10), n, was?.why, is?.why])).toEqual([
    ["w/j", "01", 4, "missing", "missing"],
    ["w/j", "05", 1, undefined, "open"],
    ["w/j", "06", 4, undefined, "missing"],
  ]);
  const several = (missing: number) => ({ ...range(1, 9, "several"), reasons: { missing, failed: 9 - missing } });
  expect(readPlan(planText(long(several(4))))).toEqual(long(several(4)));
  expect(compare(long(several(4)), long(several(4))).changes).toEqual([]);
  expect(compare(long(several(4)), long(several(5))).changes).toMatchObject([
    { was: { reasons: { missing: 4 } }, is: { reasons: { missing: 5 } } },
  ]);
  expect(compare(long(range(1, 4), range(6, 9)), long(range(1, 4))).changes).toMatchObject([{ n: 4, is: null }]);
});

test("a plan of the version before is read", () => {
  const saved = { ...plan([row(1)]), format: "almanac-backfill/1" };
  expect(readPlan(planText(saved))).toEqual(saved);
});

test.each([
  "",
  "{",
  "[]",
  "null",
  '{"format":"almanac-backfill/1"}',
  JSON.stringify({ ...plan([]), format: "almanac-backfill/9" }),
  JSON.stringify({ ...plan([]), jobs: [null] }),
  JSON.stringify({ ...plan([]), instances: [{ job: 1 }] }),
  JSON.stringify({ ...plan([]), request: { jobs: "w/j" } }),
])("no plan: %s", (text) => {
  expect(readPlan(text)).toBe(null);
});

test("two plans are compared instance by instance, whatever the offset of a time is written as", () => {
  const was = plan([row(1), row(2), row(3)]);
  const is = plan([row(1, { planTime: "2026-10-01T02:00:00+01:00" }), row(2, { in: false, why: "satisfied" }), row(4)]);
  const difference = compare(was, is);
  expect(difference.in).toEqual([3, 2]);
  expect(difference.changes.map((one) => [one.planTime.slice(0, 10), one.was?.in, one.is?.in])).toEqual([
    ["2026-10-02", true, false],
    ["2026-10-04", undefined, true],
    ["2026-10-03", true, undefined],
  ]);
  expect(compare(was, is, 1)).toMatchObject({ more: 2 });
  expect(compare(was, was)).toMatchObject({ changes: [], more: 0, jobs: [] });
});

test("rows are filtered by all that is said", () => {
  const rows = [row(1), row(2, { in: false, why: "satisfied" }), row(3, { job: "w/other", text: "instance 7 is failed" })];
  const none = { show: "", why: "", job: "", words: "" } as const;
  expect(filtered(rows, none)).toBe(rows);
  expect(filtered(rows, { ...none, show: "in" })).toHaveLength(2);
  expect(filtered(rows, { ...none, show: "in", job: "w/j" })).toEqual([rows[0]]);
  expect(filtered(rows, { ...none, words: "INSTANCE 7" })).toEqual([rows[2]]);
  expect(filtered(rows, { ...none, why: "satisfied", words: "2026-10-02" })).toEqual([rows[1]]);
});
