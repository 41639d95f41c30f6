import type { Schemas } from "../api/client";

export type Graph = Schemas["Graph"];
export type Edge = Schemas["GraphEdge"];
type Instance = Schemas["Instance"];

/** An Item is an instance of the graph. One that is planned is known by its id, another by its job and plan time. */
export interface Item {
  key: string;
  instance: Instance;
  planned: boolean;
  hop: number; // of the answer in which it came first: below 0 up, above 0 down
  forecast: Schemas["Forecast"];
  moreUp: number;
  moreDown: number;
}

/** A Wait is one dependency of one instance on another, or on a range of others. */
export interface Wait {
  key: string;
  to: string;
  from: string[]; // items of the range that are known
  edge: Edge;
  range: string; // the key of the range; "" of a single instance
}

/** Data is everything that the server told about a neighbourhood, put together of one answer or several. */
export interface Data {
  centre: string;
  items: Map<string, Item>;
  waits: Map<string, Wait>;
  cut: boolean; // the first answer left instances out
}

export function keyOf(planned: boolean, instance: Pick<Instance, "id" | "workflow" | "job" | "planTime">): string {
  return planned ? instance.id : `${instance.workflow}/${instance.job}@${instant(instance.planTime)}`;
}

/** instant is a time in UTC, so that the same time has one name in whatever zone it was told. */
export function instant(at: string): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}

/** stateOf is what the glyph tells: an instance that is not planned yet has no state of its own. */
export function stateOf(item: Item): string {
  return item.planned ? item.instance.state : "unplanned";
}

/** satisfies reports whether an instance is out of the way of those that wait for it. */
export function satisfies(item: Item): boolean {
  return item.planned && ["succeeded", "forced", "skipped"].includes(item.instance.state);
}

function rangeOf(edge: Edge): string {
  if (edge.count < 2 || edge.first === undefined || edge.last === undefined) return "";
  return `${edge.workflow}/${edge.job}~${instant(edge.first)}~${instant(edge.last)}${edge.key === undefined ? "" : `~${edge.key}`}`;
}

/** merge puts answers together; the first is that of the centre. What one of them shows is not missing in another. */
export function merge(graphs: Graph[]): Data {
  const data: Data = { centre: "", items: new Map(), waits: new Map(), cut: graphs[0]?.more === true };
  for (const graph of graphs) {
    const keys = new Map<string, string>();
    for (const node of graph.nodes) {
      const key = keyOf(node.planned, node.instance);
      keys.set(node.node, key);
      if (data.centre === "") data.centre = key;
      const before = data.items.get(key);
      const { instance, planned, forecast } = node;
      data.items.set(key, {
        key,
        instance,
        planned,
        forecast,
        hop: before?.hop ?? node.hop,
        moreUp: Math.min(node.moreUp ?? 0, before?.moreUp ?? Number.POSITIVE_INFINITY),
        moreDown: Math.min(node.moreDown ?? 0, before?.moreDown ?? Number.POSITIVE_INFINITY),
      });
    }
    for (const edge of graph.edges) {
      const to = keys.get(edge.to);
      if (to === undefined) continue;
      const key = `${to}#${edge.n}`;
      const from = new Set(data.waits.get(key)?.from);
      for (const node of edge.from) {
        const up = keys.get(node);
        if (up !== undefined) from.add(up);
      }
      data.waits.set(key, { key, to, from: [...from], edge, range: rangeOf(edge) });
    }
  }
  // What a range leaves out is told by the range.
  for (const wait of data.waits.values()) {
    const item = data.items.get(wait.to);
    if (item && wait.range !== "") item.moreUp = Math.max(0, item.moreUp - Math.max(0, wait.edge.count - wait.from.length));
  }
  return data;
}

/** withMembers adds the instances of a range that was opened. They are as far from the centre as those of it that are known. */
export function withMembers(data: Data, range: string, members: Instance[]): Data {
  const items = new Map(data.items);
  const waits = new Map(data.waits);
  const of = [...data.waits.values()].filter((wait) => wait.range === range);
  const hop = Math.min(-1, ...of.map((wait) => (data.items.get(wait.to)?.hop ?? 0) - 1));
  for (const instance of members) {
    const key = keyOf(true, instance);
    if (!items.has(key)) items.set(key, { key, instance, planned: true, hop, forecast: {}, moreUp: 0, moreDown: 0 });
  }
  for (const wait of of) waits.set(wait.key, { ...wait, from: [...new Set([...wait.from, ...members.map((one) => keyOf(true, one))])] });
  return { ...data, items, waits };
}
