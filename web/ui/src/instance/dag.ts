/** A StepNode is a step of the graph, and the steps that must have ended before it. */
export interface StepNode {
  name: string;
  needs: string[];
}

export interface Placed {
  name: string;
  x: number;
  y: number;
}

/** An Edge is the way from a step to one that needs it: the points between which it is drawn, from the right of the one to the left of the other. */
export interface Edge {
  from: string;
  to: string;
  points: [number, number][];
}

export interface Drawing {
  nodes: Placed[];
  edges: Edge[];
  width: number;
  height: number;
}

export const box = { width: 176, height: 46, across: 44, down: 14 };

/** A Place is a node in a layer, or where a long edge passes through it. */
interface Place {
  key: string;
  node: string | null;
  before: Place[];
  after: Place[];
  order: number;
  y: number;
}

/**
 * drawDag lays the steps out in layers from left to right: each stands right of all that it needs, as near as may be. Where an edge passes a layer, it keeps a place in it, so
 * that it crosses no step. A need that is no step, or that leads back (neither of which a definition can have), is left out.
 */
export function drawDag(steps: StepNode[]): Drawing {
  const names = new Set(steps.map((step) => step.name));
  const layerOf = layersOf(steps, names);
  const layers: Place[][] = [];
  const at = (layer: number) => {
    while (layers.length <= layer) layers.push([]);
    return layers[layer] as Place[];
  };
  const places = new Map<string, Place>();
  for (const { name } of steps) {
    const place: Place = { key: name, node: name, before: [], after: [], order: 0, y: 0 };
    places.set(name, place);
    at(layerOf.get(name) ?? 0).push(place);
  }
  const ways: { from: string; to: string; through: Place[] }[] = [];
  for (const { name, needs } of steps) {
    for (const need of new Set(needs)) {
      const first = places.get(need);
      const last = places.get(name);
      if (first === undefined || last === undefined) continue;
      const start = layerOf.get(need) ?? 0;
      const end = layerOf.get(name) ?? 0;
      if (start >= end) continue;
      const through = [first];
      for (let layer = start + 1; layer < end; layer++) {
        const pass: Place = { key: `${need} ${name}`, node: null, before: [], after: [], order: 0, y: 0 };
        at(layer).push(pass);
        through.push(pass);
      }
      through.push(last);
      for (const [n, place] of through.entries()) {
        const next = through[n + 1];
        if (next === undefined) break;
        place.after.push(next);
        next.before.push(place);
      }
      ways.push({ from: need, to: name, through });
    }
  }
  order(layers);
  const height = stack(layers);
  const xOf = (layer: number) => layer * (box.width + box.across);
  const layerAt = new Map<Place, number>(layers.flatMap((layer, n) => layer.map((place): [Place, number] => [place, n])));
  const edges = ways.map(({ from, to, through }): Edge => {
    const points: [number, number][] = [];
    for (const [n, place] of through.entries()) {
      const x = xOf(layerAt.get(place) ?? 0);
      if (n > 0) points.push([x, place.y]);
      if (n < through.length - 1) points.push([x + box.width, place.y]);
    }
    return { from, to, points };
  });
  return {
    nodes: steps.map(({ name }) => ({ name, x: xOf(layerOf.get(name) ?? 0), y: (places.get(name)?.y ?? 0) - box.height / 2 })),
    edges,
    width: layers.length === 0 ? 0 : xOf(layers.length - 1) + box.width,
    height,
  };
}

/** layersOf is how many steps there are at most on a way to each. */
function layersOf(steps: StepNode[], names: Set<string>): Map<string, number> {
  const needs = new Map(steps.map((step) => [step.name, step.needs.filter((need) => names.has(need))]));
  const layers = new Map<string, number>();
  const open = new Set<string>();
  const visit = (name: string): number => {
    const known = layers.get(name);
    if (known !== undefined) return known;
    if (open.has(name)) return -1;
    open.add(name);
    const layer = Math.max(-1, ...(needs.get(name) ?? []).map(visit)) + 1;
    open.delete(name);
    layers.set(name, layer);
    return layer;
  };
  for (const { name } of steps) visit(name);
  return layers;
}

/** order sorts every layer by the middle of what its places are joined with, forth and back a few times: what belongs together comes to stand side by side. */
function order(layers: Place[][]): void {
  const number = (layer: Place[]) => {
    for (const [n, place] of layer.entries()) place.order = n;
  };
  const middle = (places: Place[], itself: number) =>
    places.length === 0 ? itself : places.reduce((sum, place) => sum + place.order, 0) / places.length;
  layers.forEach(number);
  for (let round = 0; round < 6; round++) {
    const forth = round % 2 === 0;
    for (const layer of forth ? layers : layers.toReversed()) {
      const wish = new Map(layer.map((place) => [place, middle(forth ? place.before : place.after, place.order)]));
      layer.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || a.order - b.order);
      number(layer);
    }
  }
}

/** stack gives every place its height: each layer stands about the middle of the highest. It returns the height of all. */
function stack(layers: Place[][]): number {
  const size = (place: Place) => (place.node === null ? box.down : box.height) + box.down;
  const tall = (layer: Place[]) => layer.reduce((sum, place) => sum + size(place), 0) - box.down;
  const height = Math.max(0, ...layers.map(tall));
  for (const layer of layers) {
    let y = (height - tall(layer)) / 2;
    for (const place of layer) {
      place.y = y + (size(place) - box.down) / 2;
      y += size(place);
    }
  }
  return height;
}

/** pathOf is the path of an edge: straight where it passes, and bent between. */
export function pathOf(points: [number, number][]): string {
  const n = (value: number) => Math.round(value * 10) / 10;
  return points
    .map(([x, y], i) => {
      const before = points[i - 1];
      if (before === undefined) return `M${n(x)} ${n(y)}`;
      if (before[1] === y) return `L${n(x)} ${n(y)}`;
      const bend = (before[0] + x) / 2;
      return `C${n(bend)} ${n(before[1])} ${n(bend)} ${n(y)} ${n(x)} ${n(y)}`;
    })
    .join("");
}
