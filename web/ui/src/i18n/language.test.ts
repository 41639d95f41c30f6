import { expect, test } from "vitest";
import { en } from "./en";
import { translate } from "./language";
import { zh } from "./zh";

test("both languages have every key, and the same values to fill in", () => {
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
  const names = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [key, text] of Object.entries(en)) {
    expect(names(zh[key as keyof typeof en]), key).toEqual(names(text));
    expect(zh[key as keyof typeof en].trim(), key).not.toBe("");
  }
});

test("values are filled in, and are never read as names themselves", () => {
  expect(translate("en", "home.blocks", { n: 3 })).toBe("keeps 3 waiting");
  expect(translate("en", "palette.select", { selector: "{n}" })).toBe("Instances that match {n}");
  expect(translate("en", "home.blocks")).toBe("keeps {n} waiting");
});
