import { describe, expect, test } from "vitest";
import { translate } from "../i18n/language";
import { choicesOf, hintOf, itemsOf, type Param, valuesOf } from "./param";

const t = (key: Parameters<typeof translate>[1], values?: Parameters<typeof translate>[2]) => translate("en", key, values);

describe("the parameters of a trigger", () => {
  test.each<[Param, string]>([
    [{ name: "p", type: "string" }, ""],
    [
      { name: "p", type: "string", description: "Where from", max: 8, pattern: "[A-Z]+" },
      "Where from; characters: at most 8; matches [A-Z]+",
    ],
    [{ name: "p", type: "integer", min: 1, max: 1000, default: "100" }, "a whole number; 1 to 1000; default 100"],
    [{ name: "p", type: "number", min: 0 }, "a number; at least 0"],
    [{ name: "p", type: "boolean", default: "false" }, "default false"],
    [{ name: "p", type: "enum", enum: ["eu", "us"] }, ""],
    [{ name: "p", type: "date" }, "a date"],
    [{ name: "p", type: "date", required: true }, "required; a date"],
    [{ name: "p", type: "date", required: true, default: "2026-10-01" }, "a date; default 2026-10-01"],
    [{ name: "p", type: "list", min: 1, default: '["eu", 7]' }, "one item a line; items: at least 1; default eu, 7"],
    [{ name: "p", type: "string", secret: true }, "kept secret"],
  ])("%j is told as: %s", (param, told) => expect(hintOf(param, t)).toBe(told));

  test("a few values are chosen from, others are typed", () => {
    expect(choicesOf({ name: "p", type: "boolean" })).toEqual(["true", "false"]);
    expect(choicesOf({ name: "p", type: "list", enum: ["eu", "us"] })).toEqual(["eu", "us"]);
    expect(choicesOf({ name: "p", type: "string" })).toBeUndefined();
  });

  test("what is left empty is not given", () => {
    expect(valuesOf({})).toBeUndefined();
    expect(valuesOf({ a: "", b: [], c: ["", " "] })).toBeUndefined();
    expect(valuesOf({ a: "0", b: ["eu", "", "us"] })).toEqual({ a: "0", b: ["eu", "us"] });
  });

  test("a list that cannot be read has no items", () => {
    expect(itemsOf(undefined)).toEqual([]);
    expect(itemsOf("eu")).toEqual([]);
    expect(itemsOf('{"a": 1}')).toEqual([]);
  });
});
