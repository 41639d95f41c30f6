/** A Place is where in a YAML text the cursor stands: the keys above it, "[]" for an item of a list, and whether a key or a value is being written. */
export interface Place {
  path: string[];
  at: "key" | "value";
  from: number; // where the word before the cursor begins
  known: string[]; // the keys that stand beside the one that is written
}

const item = /^-(\s+|$)/;
const member = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:{}[\],&*!|>'"%@`-][^:#]*?|-[^\s:#][^:#]*?)\s*:(?=\s|$)/;

/** A Line is one line taken apart: the keys and items that it begins with, each by its column. */
interface Line {
  marks: { column: number; name: string }[];
  rest: string; // what follows them
  restAt: number;
}

function unquote(key: string): string {
  return /^(".*"|'.*')$/.test(key) ? key.slice(1, -1) : key;
}

function apart(text: string): Line {
  const marks: Line["marks"] = [];
  let at = text.length - text.trimStart().length;
  for (;;) {
    const rest = text.slice(at);
    const list = item.exec(rest);
    if (list) {
      marks.push({ column: at, name: "[]" });
      at += list[0].length;
      continue;
    }
    const key = member.exec(rest);
    if (!key) return { marks, rest, restAt: at };
    marks.push({ column: at, name: unquote(key[1] ?? "") });
    const after = text.slice(at + key[0].length);
    at += key[0].length + (after.length - after.trimStart().length);
    return { marks, rest: text.slice(at), restAt: at };
  }
}

/** blank are lines that say nothing of the structure. */
function blank(text: string): boolean {
  return /^\s*(#.*)?$/.test(text);
}

/** placeAt finds the place of a position. Nothing is parsed beyond what indentation and brackets of the line say, so that it holds while a text is half written. */
export function placeAt(text: string, position: number): Place {
  const begin = text.lastIndexOf("\n", position - 1) + 1;
  const before = text.slice(begin, position);
  const lines = text.slice(0, begin).split("\n").slice(0, -1);
  const line = apart(before);
  const indent = before.length - before.trimStart().length;
  const column = line.marks[0]?.column ?? indent;
  const path = above(lines, column, line.marks[0]?.name === "[]");
  path.push(...line.marks.map((mark) => mark.name));

  const flow = inFlow(line.rest);
  const start = begin + line.restAt;
  if (flow) return { path: [...path, ...flow.path], at: flow.at, from: start + flow.from, known: flow.known };
  const written = line.marks.at(-1);
  if (written && written.name !== "[]") return { path, at: "value", from: start, known: [] };
  const own = line.marks.length > 0 ? line.restAt : indent;
  return { path, at: "key", from: start, known: beside(text, begin, own) };
}

/** above are the keys that lead to what stands at a column. */
function above(lines: string[], column: number, isItem: boolean): string[] {
  const path: string[] = [];
  let inner = column;
  let items = isItem; // an item of a list may stand right below its key, without being moved in
  for (let n = lines.length - 1; n >= 0 && (inner > 0 || items); n--) {
    const text = lines[n] ?? "";
    if (blank(text)) continue;
    const { marks } = apart(text);
    for (let m = marks.length - 1; m >= 0; m--) {
      const mark = marks[m];
      if (!mark || !(mark.column < inner || (items && mark.column === inner && mark.name !== "[]"))) continue;
      path.unshift(mark.name);
      inner = mark.column;
      items = mark.name === "[]";
    }
  }
  return path;
}

/** beside are the keys of the same object, above and below. */
function beside(text: string, begin: number, column: number): string[] {
  const lines = text.split("\n");
  const here = text.slice(0, begin).split("\n").length - 1;
  const found: string[] = [];
  for (const step of [-1, 1]) {
    for (let n = here + step; n >= 0 && n < lines.length; n += step) {
      const line = lines[n] ?? "";
      if (blank(line)) continue;
      const { marks } = apart(line);
      const same = marks.find((mark) => mark.column === column && mark.name !== "[]");
      if (same) found.push(same.name);
      const first = marks[0]?.column ?? line.length - line.trimStart().length;
      if (first < column) break;
    }
  }
  return found;
}

interface Flow {
  path: string[];
  at: "key" | "value";
  from: number;
  known: string[];
}

/** inFlow is the place within brackets that a line has opened and not closed; null when there are none. */
function inFlow(text: string): Flow | null {
  const open: { list: boolean; key: string | null; known: string[] }[] = [];
  let word = 0;
  for (let n = 0; n < text.length; n++) {
    const c = text[n] ?? "";
    const top = open.at(-1);
    if (c === '"' || c === "'") {
      const end = text.indexOf(c, n + 1);
      n = end < 0 ? text.length : end;
    } else if (c === "#" && (n === 0 || text[n - 1] === " ")) {
      return null;
    } else if (c === "{" || c === "[") {
      open.push({ list: c === "[", key: null, known: [] });
      word = n + 1;
    } else if (c === "}" || c === "]") {
      open.pop();
      word = n + 1;
    } else if (c === "," && top) {
      top.key = null;
      word = n + 1;
    } else if (c === ":" && top && !top.list && top.key === null) {
      top.key = unquote(text.slice(word, n).trim());
      top.known.push(top.key);
      word = n + 1;
    }
  }
  const top = open.at(-1);
  if (!top) return null;
  const path = open.flatMap((one) => (one.list ? ["[]"] : one.key === null ? [] : [one.key]));
  const rest = text.slice(word);
  return {
    path,
    at: top.list || top.key !== null ? "value" : "key",
    from: word + (rest.length - rest.trimStart().length),
    known: top.list || top.key !== null ? [] : top.known,
  };
}
