import { readdirSync, readFileSync } from "node:fs";
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

// One word has one meaning, and one meaning one word; 您 throughout, and the punctuation of the language between its words.
test("the Chinese texts keep to the glossary", () => {
  const wrong = /回填|补数(?!据)|并发槽|闸门|文件夹|迟到|尝试|期限|根源|你|(?<=\p{Script=Han})[:,;?!]|[:,;?!](?=\p{Script=Han})/u;
  expect(Object.entries(zh).flatMap(([key, text]) => (wrong.test(text) ? [`${key}: ${text}`] : []))).toEqual([]);
});

test("values are filled in, and are never read as names themselves", () => {
  expect(translate("en", "home.blocks", { n: 3 })).toBe("keeps 3 waiting");
  expect(translate("en", "palette.select", { selector: "{n}" })).toBe("Instances that match {n}");
  expect(translate("en", "home.blocks")).toBe("keeps {n} waiting");
  expect(translate("en", "jobs.count", { n: 1 })).toBe("1 job");
  expect(translate("en", "jobs.count", { n: "1,000" })).toBe("1,000 jobs");
});

test("every text is used", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter(
      (name) => /\.tsx?$/.test(name) && !name.includes(".test.") && !/i18n\/(en|zh)(\.\w+)?\.ts$/.test(name) && !name.endsWith("schema.ts"),
    )
    .map((name) => readFileSync(`src/${name}`, "utf8"))
    .join("\n");
  const made = [...sources.matchAll(/`((?:[a-zA-Z]+\.)+)\$\{/g)].map((match) => match[1] ?? ""); // such as `state.${state}`
  const unused = Object.keys(en).filter(
    (key) => !sources.includes(`"${key}"`) && !made.some((prefix) => key.startsWith(prefix) && prefix !== "instance."),
  );
  const tabs = ["instance.why", "instance.log", "instance.waits", "instance.history", "instance.details"];
  expect(unused.filter((key) => !tabs.includes(key))).toEqual([]);
});
