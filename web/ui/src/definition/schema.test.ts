import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { keysAt, type Schema, takesJob, valuesAt } from "./schema";

const root = JSON.parse(readFileSync(new URL("../../../../docs/almanac.schema.json", import.meta.url), "utf8")) as Schema;
const keys = (path: string, known: string[] = []) => keysAt(root, path === "" ? [] : path.split("."), known).map((one) => one.text);
const values = (path: string) => valuesAt(root, path.split(".")).map((one) => one.text);

test("the members of a workflow, of a job and of what is in it", () => {
  expect(keys("")).toEqual(expect.arrayContaining(["workflow", "jobs", "timeZone"]));
  expect(keys("", ["workflow"])).not.toContain("workflow");
  expect(keys("jobs")).toEqual([]);
  expect(keys("jobs.orders")).toEqual(expect.arrayContaining(["action", "dependsOn", "recurrence", "trigger"]));
  expect(keys("jobs.orders.dependsOn.[]")).toEqual(expect.arrayContaining(["job", "rule", "window"]));
  expect(keys("jobs.orders.recurrence.schedule")).toEqual(expect.arrayContaining(["hours", "minutes"]));
  expect(keys("jobs.orders.nothing.of.that")).toEqual([]);
  expect(keys("jobs.orders.constructor")).toEqual([]);
});

test("the words of a member", () => {
  expect(values("jobs.orders.dependsOn.[].onFailed")).toEqual(["wait", "run", "cancel"]);
  expect(values("jobs.orders.dependsOn.[].waitPreviousEnd")).toEqual(["true", "false"]);
  expect(values("jobs.orders.description")).toEqual([]);
});

test("what is said of a member", () => {
  expect(keysAt(root, ["jobs", "a", "dependsOn", "[]"], []).find((one) => one.text === "hours")?.about).toBe(
    "Only upstream plan times at these local hours.",
  );
});

test("where the name of a job stands", () => {
  expect(takesJob(["jobs", "a", "dependsOn", "[]"], "key")).toBe(true);
  expect(takesJob(["jobs", "a", "dependsOn", "[]", "job"], "value")).toBe(true);
  expect(takesJob(["jobs", "a", "dependsOn", "[]", "rule"], "value")).toBe(false);
});
