import { type Data, type Item, satisfies, type Wait } from "./data";

/** A Drawn is a node of the picture: an instance, a range of which others wait, or all instances of a job that was collapsed. */
export type Drawn =
  | { kind: "instance"; key: string; item: Item; root: Rooted }
  | { kind: "range"; key: string; wait: Wait; shown: number; known: number; open: number; root: Rooted; blocking: Rooted }
  | { kind: "job"; key: string; workflow: string; job: string; items: Item[]; root: Rooted };

/** Whether a node is, or holds, a root cause: one that goes on by itself as time does, or one that needs somebody. */
export type Rooted = "" | "root" | "urgent";

/** A Line leads from what is waited for to what waits. A line of a member has no wait of its own: it leads into its range. */
export interface Line {
  key: string;
  from: string;
  to: string;
  waits: Wait[];
  satisfied: boolean;
  blocking: Rooted; // it is on the way from a root cause to the centre
}

export interface Picture {
  nodes: Map<string, Drawn>;
  lines: Line[];
  centre: string; // the node that is, or holds, the instance that was asked for
}

/** A View is what a person chose to see of the data. */
export interface View {
  open: ReadonlySet<string>; // ranges of which all that is known is shown
  shut: ReadonlySet<string>; // ranges of which nothing is shown
  collapsed: (job: string) => boolean;
  roots: ReadonlyMap<string, Rooted>; // by the keys of items
}

export const jobOf = (one: { workflow: string; job: string }) => `${one.workflow}/${one.job}`;
export const rangeNode = (range: string) => `range ${range}`;
export const jobNode = (job: string) => `job ${job}`;

/** draw makes the picture of what is seen: the centre and what is connected with it through what is shown. */
export function draw(data: Data, view: View): Picture {
  const base = connected(data, view);
  const home = new Map<string, string>(); // the node in which an item or range is drawn
  const nodes = new Map<string, Drawn>();
  const intoJob = (job: string, item: Item | undefined): string => {
    const key = jobNode(job);
    let node = nodes.get(key);
    if (node?.kind !== "job") {
      const [workflow = "", name = ""] = [job.slice(0, job.indexOf("/")), job.slice(job.indexOf("/") + 1)];
      node = { kind: "job", key, workflow, job: name, items: [], root: "" };
      nodes.set(key, node);
    }
    if (item) {
      node.items.push(item);
      if (node.root !== "urgent") node.root = view.roots.get(item.key) ?? node.root;
    }
    return key;
  };
  for (const key of base.reached) {
    const item = data.items.get(key);
    const range = base.ranges.get(key);
    if (item) {
      const job = jobOf(item.instance);
      if (view.collapsed(job)) home.set(key, intoJob(job, item));
      else {
        nodes.set(key, { kind: "instance", key, item, root: view.roots.get(key) ?? "" });
        home.set(key, key);
      }
    } else if (range) {
      const job = jobOf(range.wait.edge);
      if (view.collapsed(job)) home.set(key, intoJob(job, undefined));
      else {
        nodes.set(key, { kind: "range", key, ...range, root: "" });
        home.set(key, key);
      }
    }
  }
  const lines = new Map<string, Line>();
  for (const line of base.lines) {
    const [from, to] = [home.get(line.from), home.get(line.to)];
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${from} → ${to}`;
    const before = lines.get(key);
    if (before) {
      before.waits.push(...line.waits);
      before.satisfied &&= line.satisfied;
    } else lines.set(key, { key, from, to, waits: [...line.waits], satisfied: line.satisfied, blocking: "" });
  }
  const picture: Picture = { nodes, lines: [...lines.values()], centre: home.get(data.centre) ?? data.centre };
  markBlocking(picture);
  return picture;
}

interface Base {
  reached: Set<string>;
  ranges: Map<string, { wait: Wait; shown: number; known: number; open: number; blocking: Rooted }>;
  lines: { from: string; to: string; waits: Wait[]; satisfied: boolean }[];
}

/** connected is what is drawn before anything is collapsed. */
function connected(data: Data, view: View): Base {
  const ranges: Base["ranges"] = new Map();
  const lines: Base["lines"] = [];
  const members = new Set<string>();
  for (const wait of data.waits.values()) {
    const { satisfied } = wait.edge;
    if (wait.range === "") {
      const from = wait.from[0];
      if (from !== undefined) lines.push({ from, to: wait.to, waits: [wait], satisfied });
      continue;
    }
    const key = rangeNode(wait.range);
    const range = ranges.get(key) ?? { wait, shown: 0, known: 0, open: 0, blocking: "" };
    ranges.set(key, range);
    range.open = Math.max(range.open, wait.edge.open ?? 0);
    lines.push({ from: key, to: wait.to, waits: [wait], satisfied });
    for (const from of wait.from) {
      const item = data.items.get(from);
      const member = `${from} ${key}`;
      if (!item || members.has(member)) continue;
      members.add(member);
      range.known++;
      if (view.roots.get(from) === "urgent") range.blocking = "urgent"; // also when it is not shown
      if (!shows(view, wait.range, item)) continue;
      range.shown++;
      lines.push({ from, to: key, waits: [], satisfied: satisfies(item) });
    }
  }
  const beside = new Map<string, string[]>();
  for (const { from, to } of lines) {
    beside.set(from, [...(beside.get(from) ?? []), to]);
    beside.set(to, [...(beside.get(to) ?? []), from]);
  }
  const reached = closure([data.centre], (key) => beside.get(key) ?? []);
  return { reached, ranges, lines };
}

/** shows reports whether an instance of a range is drawn by itself: unless somebody chose otherwise, what is not done, and what leads down from the centre. */
function shows(view: View, range: string, item: Item): boolean {
  if (item.hop >= 0 || view.open.has(range)) return true;
  return !view.shut.has(range) && !satisfies(item);
}

/** markBlocking marks the lines on a way from a root cause to the centre. */
function markBlocking(picture: Picture): void {
  const up = new Map<string, string[]>();
  const down = new Map<string, string[]>();
  for (const line of picture.lines) {
    if (line.satisfied) continue;
    up.set(line.to, [...(up.get(line.to) ?? []), line.from]);
    down.set(line.from, [...(down.get(line.from) ?? []), line.to]);
  }
  const above = closure([picture.centre], (key) => up.get(key) ?? []);
  for (const kind of ["root", "urgent"] as const) {
    const roots = [...picture.nodes.values()].filter((node) => node.root === kind && above.has(node.key)).map((node) => node.key);
    const below = closure(roots, (key) => (down.get(key) ?? []).filter((one) => above.has(one)));
    for (const line of picture.lines) if (!line.satisfied && below.has(line.from) && below.has(line.to)) line.blocking = kind;
    for (const key of below) {
      const node = picture.nodes.get(key);
      if (node?.kind === "range" && node.blocking !== "urgent") node.blocking = kind;
    }
  }
}

function closure(begin: string[], next: (key: string) => string[]): Set<string> {
  const reached = new Set(begin);
  for (const key of reached) for (const one of next(key)) reached.add(one); // a set goes on over what is added
  return reached;
}

/** shapeOf names what a layout depends on: two pictures of one shape differ in colours only. */
export function shapeOf(picture: Picture): string {
  return `${[...picture.nodes.keys()].join("\n")}\n\n${picture.lines.map((line) => line.key).join("\n")}`;
}
