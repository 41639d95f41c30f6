import type { Frame } from "../lanes/model";

/** A Place is what the address says of the board: a link is what you see. */
export interface Place {
  date: string; // today, or a date
  zone: string;
  find: string;
  states: string[]; // the legend's; none is all
  folded: string[]; // workflows; "*" is all
  edges: boolean;
  frame?: Frame;
}

export function readPlace(date: string | undefined, query: URLSearchParams): Place {
  const [zoom, at] = [Number(query.get("zoom")), Number(query.get("at"))];
  return {
    date: date === undefined || !isDate(date) ? "today" : date,
    zone: query.get("zone") ?? "",
    find: query.get("q")?.trim() ?? "",
    states: list(query.get("state")),
    folded: list(query.get("fold")),
    edges: query.get("edges") === "all",
    ...(zoom > 1 && Number.isFinite(at) ? { frame: { zoom, at: at * 1000 } } : {}),
  };
}

/** writePlace is the query of the address; what is as usual is left out. */
export function writePlace(place: Place): Record<string, string> {
  const query: Record<string, string> = {};
  if (place.zone !== "") query.zone = place.zone;
  if (place.find !== "") query.q = place.find;
  if (place.states.length > 0) query.state = place.states.join(",");
  if (place.folded.length > 0) query.fold = place.folded.join(",");
  if (place.edges) query.edges = "all";
  if (place.frame && place.frame.zoom > 1.001) {
    query.zoom = String(Math.round(place.frame.zoom * 100) / 100);
    query.at = String(Math.round(place.frame.at / 1000));
  }
  return query;
}

const list = (text: string | null) => (text === null || text === "" ? [] : text.split(","));

/** isDate reports whether a text is a day of the calendar. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** shifted is a date so many days after another. */
export function shifted(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/**
 * A search is a selector when it says so by the signs of the grammar; else it is words, all of which must be in the name of a job. What is a selector is asked of
 * the server, words are looked for in what is there.
 */
export function isSelector(find: string): boolean {
  return find.split(/\s+/).some((term) => /[:@]|^\+|\+$|^\d+$/.test(term));
}

export function hasWords(find: string, name: string): boolean {
  const low = name.toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}
