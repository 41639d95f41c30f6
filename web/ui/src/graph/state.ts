/** Bounds of what an address may ask for. */
export const mostHops = 20;
export const mostExpanded = 40;
export const fewNodes = 300;
export const mostNodes = 1_000;

/** A Place is all of the graph's state that the address holds, so that a link is what one sees. */
export interface Place {
  up: number | null; // hops; null: as many as it takes to the root cause
  down: number;
  expanded: { key: string; way: "up" | "down" }[];
  open: string[]; // ranges
  shut: string[];
  jobs: string[]; // collapsed; "*" is every job
  selected: string; // the key of a node or a line
  list: boolean;
  limit: number;
  at: string; // as of when; "" is now
}

export const defaultDown = 1;

/** readPlace reads an address. What it cannot use, it leaves out. */
export function readPlace(search: URLSearchParams): Place {
  const hops = (name: string) => {
    const text = search.get(name) ?? "";
    return /^\d{1,3}$/.test(text) ? Math.min(mostHops, Number(text)) : null;
  };
  const list = (name: string) => [...new Set(search.getAll(name).filter((one) => one !== "" && one.length <= 600))].slice(0, mostExpanded);
  const at = search.get("at") ?? "";
  return {
    up: hops("up"),
    down: hops("down") ?? defaultDown,
    expanded: list("x")
      .filter((one) => /^[ud]./.test(one))
      .map((one) => ({ way: one.startsWith("u") ? "up" : "down", key: one.slice(1) })),
    open: list("open"),
    shut: list("shut"),
    jobs: list("jobs"),
    selected: (search.get("sel") ?? "").slice(0, 1_300),
    list: search.get("view") === "list",
    limit: search.get("limit") === String(mostNodes) ? mostNodes : fewNodes,
    at: /^\d{4}-\d\d-\d\dT/.test(at) && !Number.isNaN(Date.parse(at)) ? at : "",
  };
}

/** writePlace puts a place into an address, beside what others keep there. */
export function writePlace(before: URLSearchParams, place: Place): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const name of ["up", "down", "x", "open", "shut", "jobs", "sel", "view", "limit", "at"]) next.delete(name);
  if (place.up !== null) next.set("up", String(place.up));
  if (place.down !== defaultDown) next.set("down", String(place.down));
  for (const { way, key } of place.expanded) next.append("x", `${way === "up" ? "u" : "d"}${key}`);
  for (const one of place.open) next.append("open", one);
  for (const one of place.shut) next.append("shut", one);
  for (const one of place.jobs) next.append("jobs", one);
  if (place.selected !== "") next.set("sel", place.selected);
  if (place.list) next.set("view", "list");
  if (place.limit !== fewNodes) next.set("limit", String(place.limit));
  if (place.at !== "") next.set("at", place.at);
  return next;
}

/** toggled is a list with one more, or without it. */
export function toggled(list: string[], one: string): string[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}
