import { expect, test } from "vitest";
import { bodyOf, commandOf, delayOf, readAsk, readBackfill, unchanged, withDelay, withFailure, writeAsk } from "./ask";

const orders = "retail/orders@2026-11-22T05:00:00+01:00";
const address = new URLSearchParams([
  ["date", "2026-11-22"],
  ["slots", "2"],
  ["delay", `${orders}=PT20M`],
  ["delay", "retail/dwd_*=PT5M"],
  ["fail", "retail/stores=1"],
  ["pool", "db=3"],
  ["duration", "retail/report=PT1H"],
  ["assert", "retail/report done by 08:00"],
  ["tab", "load"],
]);

test("an address is read and written as it was; what is not of the ask stays", () => {
  const ask = readAsk(address);
  expect(ask.delay).toEqual([`${orders}=PT20M`, "retail/dwd_*=PT5M"]);
  expect([...writeAsk(address, ask)].sort()).toEqual([...address].sort());
  expect(writeAsk(address, { ...unchanged(ask), history: false }).toString()).toBe("tab=load&date=2026-11-22&history=none");
});

test("the request has what is asked for and nothing else; what means nothing is for the server to refuse", () => {
  expect(bodyOf(readAsk(address), { file: "plan.json", refs: [{ job: "a/b", planTime: "2026-11-20T00:00:00Z" }] })).toEqual({
    columns: true,
    date: "2026-11-22",
    slots: 2,
    delay: [`${orders}=PT20M`, "retail/dwd_*=PT5M"],
    fail: ["retail/stores=1"],
    pools: { db: 3 },
    durations: { "retail/report": "PT1H" },
    assert: ["retail/report done by 08:00"],
    withBackfill: [{ job: "a/b", planTime: "2026-11-20T00:00:00Z" }],
  });
  expect(bodyOf(readAsk(new URLSearchParams()), undefined)).toEqual({ columns: true });
  expect(JSON.stringify(bodyOf(readAsk(new URLSearchParams("days=many")), undefined))).toBe('{"columns":true,"days":null}');
});

test("the command line plays the same, and a shell takes each word for itself", () => {
  expect(commandOf(readAsk(address), "2026-11-22", undefined)).toBe(
    `almanac simulate --date 2026-11-22 --slots 2 --delay ${orders}=PT20M --delay 'retail/dwd_*=PT5M' --fail retail/stores=1 ` +
      "--duration retail/report=PT1H --pool db=3 --assert 'retail/report done by 08:00'",
  );
  expect(commandOf(readAsk(new URLSearchParams("fail=a'b $(rm)")), "2026-11-22", { file: "my plan.json", refs: [] })).toBe(
    "almanac simulate --date 2026-11-22 --fail 'a'\\''b $(rm)' --with-backfill 'my plan.json'",
  );
});

test("a bar is delayed, delayed again, and brought back; others stay", () => {
  const ask = readAsk(address);
  expect(delayOf(ask, orders)).toBe(1_200_000);
  const more = withDelay(ask, orders, 3_600_000);
  expect(more.delay).toEqual(["retail/dwd_*=PT5M", `${orders}=PT1H`]);
  expect(withDelay(more, orders, -5).delay).toEqual(["retail/dwd_*=PT5M"]);
  expect(delayOf(ask, "retail/other@2026-11-22T05:00:00+01:00")).toBe(0);
});

test("an instance fails, and does not any more, however many attempts it was said of", () => {
  const ask = readAsk(new URLSearchParams());
  expect(withFailure(ask, orders).fail).toEqual([orders]);
  expect(withFailure({ ...ask, fail: [`${orders}=1`] }, orders).fail).toEqual([]);
});

test("of a saved plan that is beside the day which is in it", () => {
  const at = "2026-11-20T00:00:00Z";
  const instances = [
    { job: "a/b", planTime: at, in: true, why: "missing" },
    { job: "a/c", planTime: at, in: false },
  ];
  expect(readBackfill(JSON.stringify({ format: "x", instances }))).toEqual([{ job: "a/b", planTime: at }]);
  expect(readBackfill(JSON.stringify([{ job: "a/b", planTime: at }]))).toEqual([{ job: "a/b", planTime: at }]);
  for (const text of ["", "{}", "[1]", '[{"job":1}]', '{"instances":{}}', "null"]) expect(readBackfill(text), text).toBeUndefined();
});
