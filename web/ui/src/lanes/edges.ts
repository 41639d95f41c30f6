import { begins, type Placed } from "./layout";
import type { Bar, Edge } from "./model";
import type { Palette } from "./palette";
import { boxOf, type Scene } from "./scene";

/** Of more than so many edges, each is a straight line without an arrow. */
const curvedMost = 1_500;

/** paintEdges draws those of the edges that cross what is in sight; quietly those that nobody looks at. */
export function paintEdges(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, edges: readonly Edge[], quiet: boolean): void {
  if (edges.length === 0) return;
  const seen: [Edge, Line][] = [];
  for (const edge of edges) {
    if (outOfSight(scene, edge)) continue;
    const line = lineOf(scene, edge);
    if (line) seen.push([edge, line]);
  }
  const many = seen.length > curvedMost;
  const colours = { satisfied: "--succeeded", open: "--waiting", critical: "--failed" } as const;
  c.lineWidth = many ? 0.75 : quiet ? 1 : 1.5;
  for (const look of ["satisfied", "open", "critical"] as const) {
    const list = seen.filter(([edge]) => (edge.look ?? "open") === look);
    if (list.length === 0) continue;
    c.strokeStyle = c.fillStyle = palette.colour(colours[look]);
    c.globalAlpha = many ? 0.35 : quiet ? 0.45 : 0.9;
    c.beginPath();
    for (const [, line] of list) {
      c.moveTo(line.x1, line.y1);
      if (many) c.lineTo(line.x2, line.y2);
      else curve(c, line);
      if (line.x0 !== undefined) {
        c.moveTo(line.x0, line.y1 + 7);
        c.lineTo(line.x0, line.y1 + 11);
        c.lineTo(line.x1, line.y1 + 11);
        c.lineTo(line.x1, line.y1);
      }
    }
    c.stroke();
    if (many) continue;
    c.beginPath();
    for (const [, { x2, y2 }] of list) {
      c.moveTo(x2, y2);
      c.lineTo(x2 - 6, y2 - 3.5);
      c.lineTo(x2 - 6, y2 + 3.5);
      c.closePath();
    }
    c.fill();
    c.globalAlpha = 1;
    c.font = `11px ${palette.font}`;
    for (const [edge, line] of list) {
      if (edge.count === undefined || edge.count < 2) continue;
      const text = `×${edge.count}`;
      const w = c.measureText(text).width + 6;
      const x = line.x1 - w - 1;
      c.fillStyle = palette.colour("--surface");
      c.fillRect(x, line.y1 + 4, w, 13);
      c.fillStyle = palette.colour("--ink");
      c.fillText(text, x + 3, line.y1 + 11);
    }
  }
  c.globalAlpha = 1;
}

function curve(c: CanvasRenderingContext2D, { x1, y1, x2, y2 }: Line): void {
  const bend = Math.max(14, Math.min(60, Math.abs(x2 - x1) / 2));
  c.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2 - 2, y2);
}

interface Line {
  x0?: number; // where the range begins
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** outOfSight reports whether both ends are above or below what is seen: it is asked of every edge with each frame. */
function outOfSight(scene: Scene, edge: Edge): boolean {
  const { bars } = scene.placed.data;
  const from = scene.rows[scene.laneRow[bars[edge.from]?.lane ?? -1] ?? -1];
  const to = scene.rows[scene.laneRow[bars[edge.to]?.lane ?? -1] ?? -1];
  if (from === undefined || to === undefined) return true;
  const bottom = scene.top + scene.height - scene.head;
  return Math.max(from.y + from.height, to.y + to.height) < scene.top || Math.min(from.y, to.y) > bottom;
}

function lineOf(scene: Scene, edge: Edge): Line | undefined {
  const first = boxOf(scene, edge.from);
  const from = edge.last === undefined || edge.last === edge.from ? first : boxOf(scene, edge.last);
  const to = boxOf(scene, edge.to);
  if (first === undefined || from === undefined || to === undefined) return undefined;
  const line = { x1: from.x + from.w, y1: from.y + from.h / 2, x2: to.x, y2: to.y + to.h / 2 };
  return from === first ? line : { x0: first.x, ...line };
}

/** Neighbours finds the edges of one bar without looking at all of them. */
export class Neighbours {
  readonly #placed: Placed;
  readonly #edges: readonly Edge[];
  readonly #into = new Map<number, Edge[]>(); // by bar
  readonly #out = new Map<number, Edge[]>(); // by lane

  constructor(placed: Placed) {
    this.#placed = placed;
    this.#edges = placed.data.edges ?? [];
    for (const edge of this.#edges) {
      push(this.#into, edge.to, edge);
      push(this.#out, placed.data.bars[edge.from]?.lane ?? -1, edge);
    }
  }

  /** of lists the edges that lead to a bar, and those that lead away from it, alone or in a range. */
  of(n: number): Edge[] {
    const bars = this.#placed.data.bars;
    const bar = bars[n];
    if (bar === undefined) return [];
    const at = begins(bar);
    const out = (this.#out.get(bar.lane) ?? []).filter((edge) => {
      if (edge.last === undefined || edge.last === edge.from) return edge.from === n;
      return begins(bars[edge.from] as Bar) <= at && at <= begins(bars[edge.last] as Bar);
    });
    return [...(this.#into.get(n) ?? []), ...out.filter((edge) => edge.to !== n)];
  }
}

function push(map: Map<number, Edge[]>, key: number, edge: Edge): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [edge]);
  else list.push(edge);
}
