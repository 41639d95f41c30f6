import { paintDeadlines } from "./deadlines";
import { paintEdges } from "./edges";
import { begins, type Row } from "./layout";
import type { Bar, Look } from "./model";
import type { Palette } from "./palette";
import type { Tick } from "./scale";
import { type Box, barHeight, boxOf, glyphSize, inSight, type Scene, visible, xOf, yOf } from "./scene";
import { paintStrip } from "./strip";

export const axisHeight = 26;

type Drawn = [number, Box, Bar];

/** paint draws the whole picture. What it costs goes by what is in sight. */
export function paint(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, grid: readonly Tick[], strip: number): void {
  const { width, height, gutter, head } = scene;
  c.setTransform(palette.ratio, 0, 0, palette.ratio, 0, 0);
  c.fillStyle = palette.colour("--surface");
  c.fillRect(0, 0, width, height);
  c.textBaseline = "middle";

  c.save();
  c.beginPath();
  c.rect(gutter, head, width - gutter, height - head);
  c.clip();
  paintFuture(c, scene, palette);
  paintRowLines(c, scene, palette);
  paintGrid(c, scene, palette, grid);
  const drawn = new Map<string, Drawn[]>();
  const folded = new Map<string, Drawn[]>();
  for (const [, row] of visible(scene)) {
    if (row.lane < 0) {
      if (row.folded) bin(scene, row, folded);
      continue;
    }
    for (const [n, room, bar] of inSight(scene, row)) {
      const box = boxOf(scene, n, room);
      if (box === undefined) continue;
      const list = drawn.get(bar.look);
      if (list === undefined) drawn.set(bar.look, [[n, box, bar]]);
      else list.push([n, box, bar]);
    }
  }
  const looks = Object.entries(scene.looks).sort(([, a], [, b]) => a.rank - b.rank);
  paintEdges(c, scene, palette, scene.behind, true);
  paintWaits(c, scene, palette, drawn);
  for (const [name, look] of looks) {
    const list = drawn.get(name);
    if (list) paintBars(c, scene, palette, look, list);
    c.fillStyle = palette.colour(look.colour);
    c.globalAlpha = look.fill === "solid" ? 1 : look.fill === "outline" ? 0.3 : 0.55;
    for (const [, box] of folded.get(name) ?? []) c.fillRect(box.x, box.y, box.w, box.h);
    c.globalAlpha = 1;
  }
  paintEdges(c, scene, palette, scene.edges, false);
  paintDeadlines(c, scene, palette);
  paintMarks(c, scene, palette);
  paintNow(c, scene, palette);
  c.restore();

  paintLabels(c, scene, palette);
  paintAxis(c, scene, palette, grid);
  if (strip > 0) paintStrip(c, scene, palette, axisHeight, strip);
}

/** bin puts the bars of a folded group into columns, of which each shows its loudest bar, the higher the louder. */
function bin(scene: Scene, row: Row, into: Map<string, Drawn[]>): void {
  const size = 4;
  const best = new Map<number, number>();
  const { bars } = scene.placed.data;
  const rank = (n: number) => scene.looks[bars[n]?.look ?? ""]?.rank ?? 0;
  for (const lane of row.lanes) {
    for (const [n, , bar] of inSight(scene, { ...row, lane })) {
      const column = Math.floor(xOf(scene, bar.from) / size);
      const there = best.get(column);
      if (there === undefined || rank(n) > rank(there)) best.set(column, n);
    }
  }
  const middle = yOf(scene, row) + row.height / 2;
  for (const [column, n] of best) {
    const bar = bars[n] as Bar;
    const list = into.get(bar.look) ?? [];
    const fill = scene.looks[bar.look]?.fill;
    const h = fill === "solid" ? row.height - 4 : fill === "outline" ? 6 : fill === "hatch" ? 16 : 11;
    list.push([n, { x: column * size, y: middle - h / 2, w: size - 1, h }, bar]);
    into.set(bar.look, list);
  }
}

function paintFuture(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const x = Math.max(scene.gutter, xOf(scene, scene.now));
  if (x >= scene.width) return;
  c.fillStyle = palette.colour("--page");
  c.globalAlpha = 0.55;
  c.fillRect(x, scene.head, scene.width - x, scene.height - scene.head);
  c.globalAlpha = 1;
}

function paintRowLines(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  for (const [, row] of visible(scene)) {
    const y = Math.round(yOf(scene, row));
    if (row.lane < 0) {
      c.fillStyle = palette.colour("--sunk");
      c.fillRect(scene.gutter, y, scene.width, row.height);
    } else if (isHere(scene, row)) {
      c.fillStyle = palette.colour("--hover");
      c.fillRect(scene.gutter, y, scene.width, row.height);
    }
    c.fillStyle = palette.colour("--edge");
    c.globalAlpha = row.lane < 0 ? 1 : 0.5;
    c.fillRect(scene.gutter, y + row.height - 1, scene.width, 1);
    c.globalAlpha = 1;
  }
}

/** isHere reports whether the pointer or the cursor is in the row. */
function isHere(scene: Scene, row: Row): boolean {
  return [scene.hover, scene.cursor].some((spot) => {
    if (spot.kind === "lane") return spot.lane === row.lane;
    return spot.kind === "bar" && scene.placed.data.bars[spot.bar]?.lane === row.lane;
  });
}

function paintGrid(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, grid: readonly Tick[]): void {
  for (const tick of grid) {
    const x = Math.round(xOf(scene, tick.at));
    if (x < scene.gutter || x > scene.width) continue;
    c.fillStyle = palette.colour(tick.day ? "--edge-strong" : "--edge");
    c.globalAlpha = 0.6;
    c.fillRect(x, scene.head, 1, scene.height);
  }
  c.globalAlpha = 1;
}

/** paintWaits draws how long each bar was or is late to begin, as a line before it, and where a moved bar was. */
function paintWaits(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, drawn: Map<string, Drawn[]>): void {
  c.strokeStyle = palette.colour("--edge-strong");
  c.lineWidth = 1;
  c.beginPath();
  for (const list of drawn.values()) {
    for (const [, box, bar] of list) {
      if (bar.before) {
        const x = xOf(scene, bar.before.from);
        c.rect(x + 0.5, box.y + 2.5, Math.max(2, xOf(scene, bar.before.to) - x), box.h - 5);
      }
      if (bar.due === undefined) continue;
      const x = xOf(scene, Math.min(begins(bar), bar.from));
      if (box.x - x < 3) continue;
      const y = Math.round(box.y + box.h / 2) + 0.5;
      c.moveTo(x + 0.5, y - 3);
      c.lineTo(x + 0.5, y + 3);
      c.moveTo(x, y);
      c.lineTo(box.x - 1, y);
    }
  }
  c.stroke();
}

function paintBars(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, look: Look, list: readonly Drawn[]): void {
  const colour = palette.colour(look.colour);
  for (const faded of [true, false]) {
    const some = list.filter(([, , bar]) => (bar.faded ?? false) === faded);
    if (some.length === 0) continue;
    c.globalAlpha = faded ? 0.18 : 1;
    paintBodies(c, scene, palette, look, colour, some, faded ? 0.3 : 1);
    if (look.glyph === "") continue;
    const on = look.fill === "solid" ? "--surface" : look.colour;
    const glyph = palette.glyph(look, on, glyphSize);
    for (const [, box] of some) {
      if (box.w < barHeight - 1) continue;
      c.drawImage(glyph, Math.round(Math.max(box.x + 2, Math.min(scene.gutter + 2, box.x + box.w - 14))), box.y + 2, glyphSize, glyphSize);
    }
  }
  c.globalAlpha = 1;
}

function paintBodies(
  c: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  look: Look,
  colour: string,
  list: readonly Drawn[],
  alpha: number,
): void {
  c.beginPath();
  const outlined: Drawn[] = [];
  for (const one of list) {
    const [, box, bar] = one;
    const known = bar.known === undefined ? box.w : Math.max(0, Math.min(box.w, xOf(scene, bar.known) - box.x));
    if (look.fill === "outline" || known < box.w) outlined.push(one);
    if (look.fill === "outline") continue;
    body(c, box.x, box.y, bar.known === undefined ? box.w : Math.max(Math.min(box.w, barHeight), known), box.h);
  }
  c.fillStyle = colour;
  c.globalAlpha = alpha * (look.fill === "solid" ? 1 : look.fill === "tint" ? 0.16 : 0.1);
  c.fill();
  if (look.fill === "hatch") {
    c.globalAlpha = alpha;
    c.fillStyle = palette.hatch(c, look.colour);
    c.fill();
  }
  c.globalAlpha = alpha;
  c.strokeStyle = colour;
  c.lineWidth = 1;
  if (look.fill === "tint" || look.fill === "hatch") {
    c.globalAlpha = alpha * (look.fill === "tint" ? 0.3 : 0.55);
    c.stroke();
  }
  c.globalAlpha = alpha * 0.8;
  for (const ghost of [false, true]) {
    c.setLineDash(ghost ? [2, 2] : []);
    c.beginPath();
    for (const [, box, bar] of outlined) {
      if ((bar.ghost ?? false) === ghost) body(c, box.x + 0.5, box.y + 0.5, Math.max(1, box.w - 1), box.h - 1);
    }
    c.stroke();
  }
  c.setLineDash([]);
  c.globalAlpha = alpha;
}

function body(c: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  if (w < 7) c.rect(x, y, w, h);
  else c.roundRect(x, y, w, h, 3);
}

/** paintMarks draws what is said of single bars beyond their state: late, selected, at the cursor. */
function paintMarks(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  c.beginPath();
  for (const [, row] of visible(scene)) {
    if (row.lane < 0) continue;
    for (const [n, room, bar] of inSight(scene, row)) {
      if (!bar.late || bar.faded) continue;
      const box = boxOf(scene, n, room);
      if (box === undefined) continue;
      const size = Math.min(7, Math.max(3, box.w));
      c.moveTo(box.x + box.w - size, box.y - 1);
      c.lineTo(box.x + box.w + 1, box.y - 1);
      c.lineTo(box.x + box.w + 1, box.y - 1 + size);
      c.closePath();
    }
  }
  c.fillStyle = palette.colour("--lost");
  c.fill();
  paintSigns(c, scene, palette);
  paintTicks(c, scene, palette);
  const ring = (n: number, colour: string, width: number) => {
    const box = n < 0 ? undefined : boxOf(scene, n, barHeight + 1);
    if (box === undefined) return;
    c.strokeStyle = palette.colour(colour);
    c.lineWidth = width;
    c.beginPath();
    c.roundRect(box.x - 2, box.y - 2, box.w + 4, box.h + 4, 5);
    c.stroke();
  };
  if (scene.hover.kind === "bar") ring(scene.hover.bar, "--edge-strong", 1);
  ring(scene.selected, "--ink", 2);
  if (scene.cursor.kind === "bar") ring(scene.cursor.bar, "--focus", 2);
}

/** paintSigns draws what a person has said of a bar: two strokes before one that is frozen, a rhomb before one of which something else is ordered. */
function paintSigns(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  c.beginPath();
  for (const [, row] of visible(scene)) {
    if (row.lane < 0) continue;
    for (const [n, room, bar] of inSight(scene, row)) {
      const box = bar.sign === undefined || bar.faded ? undefined : boxOf(scene, n, room);
      if (box === undefined) continue;
      const middle = box.y + box.h / 2;
      if (bar.sign === "frozen") {
        c.rect(box.x - 9, middle - 4, 2.5, 8);
        c.rect(box.x - 5, middle - 4, 2.5, 8);
        continue;
      }
      c.moveTo(box.x - 6, middle - 4);
      c.lineTo(box.x - 2, middle);
      c.lineTo(box.x - 6, middle + 4);
      c.lineTo(box.x - 10, middle);
      c.closePath();
    }
  }
  c.fillStyle = palette.colour("--accent");
  c.fill();
}

/** paintTicks draws where within a bar something begins anew. */
function paintTicks(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  c.fillStyle = palette.colour("--ink");
  for (const [, row] of visible(scene)) {
    if (row.lane < 0) continue;
    for (const [n, room, bar] of inSight(scene, row)) {
      const box = bar.ticks === undefined ? undefined : boxOf(scene, n, room);
      if (box === undefined) continue;
      for (const at of bar.ticks ?? []) {
        const x = Math.round(xOf(scene, at));
        if (x > box.x && x < box.x + box.w) c.fillRect(x, box.y - 2, 1.5, box.h + 4);
      }
    }
  }
}

function paintNow(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const x = Math.round(xOf(scene, scene.now));
  if (x < scene.gutter || x > scene.width) return;
  c.fillStyle = palette.colour("--failed");
  c.globalAlpha = 0.85;
  c.fillRect(x, scene.head, 1.5, scene.height);
  c.globalAlpha = 1;
}

function paintLabels(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const { gutter, head, height, placed } = scene;
  c.save();
  c.beginPath();
  c.rect(0, head, scene.width, height - head);
  c.clip();
  c.fillStyle = palette.colour("--surface");
  c.fillRect(0, head, gutter, height - head);
  for (const [, row] of visible(scene)) {
    const y = Math.round(yOf(scene, row));
    const middle = y + row.height / 2 + 0.5;
    if (row.lane < 0) {
      paintHeading(c, scene, palette, row, y, middle);
      continue;
    }
    if (isHere(scene, row)) {
      c.fillStyle = palette.colour("--hover");
      c.fillRect(0, y, gutter, row.height - 1);
    }
    const lane = placed.data.lanes[row.lane];
    c.font = `13px ${palette.font}`;
    c.fillStyle = palette.colour(lane?.soft ? "--ink-soft" : "--ink");
    c.fillText(fitted(c, lane?.label ?? "", gutter - 34), 26, middle);
  }
  c.restore();
  c.fillStyle = palette.colour("--edge");
  c.fillRect(gutter - 1, 0, 1, height);
}

function paintHeading(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, row: Row, y: number, middle: number): void {
  c.fillStyle = palette.colour("--sunk");
  c.fillRect(0, y, scene.gutter, row.height);
  c.fillStyle = palette.colour("--ink-soft");
  c.beginPath();
  if (row.folded) {
    c.moveTo(11, middle - 4);
    c.lineTo(16, middle);
    c.lineTo(11, middle + 4);
  } else {
    c.moveTo(9, middle - 2.5);
    c.lineTo(17, middle - 2.5);
    c.lineTo(13, middle + 2.5);
  }
  c.fill();
  c.font = `650 13px ${palette.font}`;
  c.fillStyle = palette.colour("--ink");
  const note = scene.placed.data.groups?.get(row.group) ?? "";
  const label = fitted(c, row.group, scene.gutter - 40);
  c.fillText(label, 24, middle);
  if (note !== "" && !row.folded) {
    c.font = `12px ${palette.font}`;
    c.fillStyle = palette.colour("--ink-soft");
    c.fillText(note, scene.gutter + 8, middle);
  }
  if (scene.cursor.kind === "group" && scene.cursor.group === row.group) {
    c.strokeStyle = palette.colour("--focus");
    c.lineWidth = 2;
    c.strokeRect(2, y + 2, scene.gutter - 5, row.height - 4);
  }
}

const fits = new Map<string, string>();

/** fitted is a text cut to a width; what was measured once is kept. */
function fitted(c: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${c.font} ${width} ${text}`;
  const known = fits.get(key);
  if (known !== undefined) return known;
  let cut = text.slice(0, 200);
  if (c.measureText(cut).width > width) {
    let low = 0;
    let high = cut.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (c.measureText(`${cut.slice(0, middle)}…`).width <= width) low = middle;
      else high = middle - 1;
    }
    cut = `${cut.slice(0, low)}…`;
  }
  if (fits.size > 20_000) fits.clear();
  fits.set(key, cut);
  return cut;
}

function paintAxis(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, grid: readonly Tick[]): void {
  const { gutter, width } = scene;
  c.fillStyle = palette.colour("--surface");
  c.fillRect(0, 0, width, axisHeight);
  c.save();
  c.beginPath();
  c.rect(gutter, 0, width - gutter, axisHeight);
  c.clip();
  c.font = `12px ${palette.font}`;
  let end = 0; // of the label before: those of days are longer
  for (const tick of grid) {
    const x = xOf(scene, tick.at);
    if (x < gutter - 80 || x > width) continue;
    c.fillStyle = palette.colour("--edge");
    c.fillRect(Math.round(x), axisHeight - 6, 1, 6);
    c.fillStyle = palette.colour(tick.day ? "--ink" : "--ink-soft");
    if (tick.label === "" || (x < end && !tick.day)) continue;
    c.fillText(tick.label, x + 4, axisHeight / 2);
    end = x + 8 + c.measureText(tick.label).width;
  }
  const x = xOf(scene, scene.now);
  if (x >= gutter && x <= width) {
    c.fillStyle = palette.colour("--failed");
    c.beginPath();
    c.moveTo(x - 5, axisHeight - 8);
    c.lineTo(x + 6, axisHeight - 8);
    c.lineTo(x + 0.5, axisHeight - 1);
    c.fill();
  }
  c.restore();
  c.fillStyle = palette.colour("--edge");
  c.fillRect(0, scene.head - 1, width, 1);
}
