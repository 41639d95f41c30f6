import { readFileSync } from "node:fs";

/** unlooked lists the paths of pages that none of the given addresses leads to. */
export function unlooked(addresses: string[]): string[] {
  const source = readFileSync(new URL("../src/pages.ts", import.meta.url), "utf8");
  const paths = [...source.matchAll(/\bpath: "([^"]+)"/g)].map((match) => match[1] ?? "");
  if (paths.length !== source.split("component:").length - 2) throw new Error("not every page has a path"); // each page, without the type
  const looked = addresses.map((one) => new URL(one, "http://x").pathname);
  const ways = new Map(paths.map((path) => [path, new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`)]));
  // A path of words alone is not looked at by what has such a word in the place of a name.
  return [...ways]
    .filter(([path, way]) => !looked.some((one) => way.test(one) && (ways.get(one) === undefined || one === path)))
    .map(([path]) => path);
}
