import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".css"))
  .sort();

/** selectors are the selectors of a style sheet, those within media queries too. */
function selectors(text: string): string[] {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}/g, "");
  const found: string[] = [];
  for (const [, before = ""] of plain.matchAll(/([^{};]*)\{/g)) {
    if (!before.trim().startsWith("@")) found.push(...before.split(/,(?![^()]*\))/).map((one) => one.trim()));
  }
  return found;
}

/** first is the leftmost part of a selector: of ".rows.audit .line" it is ".rows.audit". */
const first = (selector: string) => selector.split(/[\s>+~]/)[0] ?? "";
const classes = (text: string) => [...text.matchAll(/\.(-?[a-zA-Z_][\w-]*)/g)].map(([, name = ""]) => name);

// The styles of a page stay in the document when the page is left. So each folder but design has classes of its own, and begins each selector with one of them.
const owners = new Map<string, Set<string>>(); // a class by which selectors begin, and the folders that begin so
const named = new Map<string, Set<string>>(); // a class, and the folders that name it anywhere
for (const file of files) {
  for (const selector of selectors(readFileSync(join(root, file), "utf8"))) {
    const folder = dirname(file);
    const begins = classes(first(selector));
    if (begins.length === 1) owners.set(begins[0] ?? "", new Set(owners.get(begins[0] ?? "")).add(folder));
    for (const name of classes(selector)) named.set(name, new Set(named.get(name)).add(folder));
  }
}

test("a class by which a page begins its selectors means nothing on another page", () => {
  const wrong = [...owners]
    .filter(([, folders]) => !folders.has("design"))
    .map(([name, folders]) => [name, ...new Set([...folders, ...(named.get(name) ?? [])])])
    .filter((one) => one.length > 2);
  expect(wrong).toEqual([]);
});

test("a page changes nothing that all pages share", () => {
  const wrong = files
    .filter((file) => dirname(file) !== "design")
    .flatMap((file) => selectors(readFileSync(join(root, file), "utf8")).map((selector) => ({ file, selector })))
    .filter(({ selector }) => !classes(first(selector)).some((name) => !owners.get(name)?.has("design")));
  expect(wrong).toEqual([]);
});
