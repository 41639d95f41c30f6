import { dragged, dragStep, type Grip, gripOf } from "./drag";
import { Neighbours } from "./edges";
import { type Measures, type Placed, place, type Row, rowsOf } from "./layout";
import { stateLooks } from "./looks";
import type { Bar, Edge, Frame, LanesData, Look, Spot } from "./model";
import { axisHeight, paint } from "./paint";
import { Palette } from "./palette";
import { clampZoom, Scale, type Tick, ticks } from "./scale";
import { boxOf, hit, type Scene, step } from "./scene";

/** What a LaneView tells. Numbers are indices into the data that was put last. */
export interface LaneEvents {
  cursor?: (spot: Spot) => void; // the keyboard, or a click, has moved to it
  hover?: (spot: Spot, x: number, y: number) => void; // pixels of the place that scrolls
  select?: (bar: number) => void; // clicked; -1 is beside all bars
  open?: (spot: Spot) => void; // Enter, or a double click
  fold?: (group: string, folded: boolean) => void;
  frame?: (frame: Frame) => void; // zoomed or scrolled, when it has come to rest
  drag?: (bar: number, from: number, to: number, done: boolean) => void;
}

export interface LaneOptions {
  looks?: Readonly<Record<string, Look>>; // the default is stateLooks
  gutter?: number; // the width of the labels in pixels
  laneHeight?: number;
  edges?: "one" | "all"; // only those of the bar that is hovered, selected or at the cursor; or all behind the bars
  stripHeight?: number;
}

const none: Spot = { kind: "none" };

/**
 * A LaneView is the picture of lanes in a place that scrolls: it draws what is in sight, and tells what a person does to it. It knows nothing of what a bar stands
 * for. The place must hold one element (`inner`), which gets the size of the whole, and in it the canvas, which stays in sight.
 */
export class LaneView {
  readonly #place: HTMLElement;
  readonly #inner: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D | null;
  readonly #stop = new AbortController();
  readonly #sizes: ResizeObserver;
  readonly #themes: MutationObserver;
  events: LaneEvents = {};
  #options: LaneOptions = {};
  #placed: Placed = place({ from: 0, to: 1, zone: "UTC", lanes: [], bars: [] });
  #neighbours: Neighbours | undefined;
  #folded: ReadonlySet<string> = new Set();
  #rows: Row[] = [];
  #laneRow = new Int32Array(0);
  #zoom = 1;
  #scale = new Scale(0, 1, 1, 1);
  #grid: Tick[] = [];
  #palette: Palette | undefined;
  #now = 0;
  #cursor: Spot = none;
  #hover: Spot = none;
  #pointer: { x: number; y: number } | undefined; // where it rests over the picture; undefined: it is elsewhere, or drags
  #selected = -1;
  #asked = 0; // the frame that has been asked for
  #rest: ReturnType<typeof setTimeout> | undefined;
  #width = 1;
  #height = 1;

  constructor(place: HTMLElement, inner: HTMLElement, canvas: HTMLCanvasElement) {
    this.#place = place;
    this.#inner = inner;
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
    this.#sizes = new ResizeObserver(() => this.#measure());
    this.#sizes.observe(place);
    this.#themes = new MutationObserver(() => this.#recolour());
    this.#themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const { signal } = this.#stop;
    place.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal });
    place.addEventListener("wheel", (event) => this.#wheel(event), { passive: false, signal });
    canvas.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.#move(event), { signal });
    canvas.addEventListener("pointerleave", () => this.#left(), { signal });
    canvas.addEventListener("dblclick", (event) => this.#double(event), { signal });
    place.addEventListener("keydown", (event) => this.#key(event), { signal });
    place.addEventListener("focus", () => this.draw(), { signal });
    place.addEventListener("blur", () => this.draw(), { signal });
    this.#measure();
  }

  end(): void {
    this.#stop.abort();
    this.#sizes.disconnect();
    this.#themes.disconnect();
    cancelAnimationFrame(this.#asked);
    clearTimeout(this.#rest);
  }

  get cursor(): Spot {
    return this.#cursor;
  }

  /**
   * setData puts other data in the place of what is shown. The cursor and the selection stay at the bars of the same id; what is hovered is what now lies under the
   * pointer.
   */
  setData(data: LanesData): void {
    const kept = this.#cursor.kind === "bar" ? this.#bar(this.#cursor.bar)?.id : undefined;
    const selected = this.#bar(this.#selected)?.id;
    const span = this.#placed.data.from !== data.from || this.#placed.data.to !== data.to;
    this.#placed = place(data);
    this.#neighbours = undefined;
    this.#hover = none;
    if (this.#cursor.kind === "bar") {
      const n = data.bars.findIndex((bar) => bar.id === kept);
      this.#cursor = n < 0 ? none : { kind: "bar", bar: n };
    } else if (this.#cursor.kind === "lane" && this.#cursor.lane >= data.lanes.length) this.#cursor = none;
    this.#selected = selected === undefined ? -1 : data.bars.findIndex((bar) => bar.id === selected);
    this.#layRows();
    if (span) this.#layTime(this.#scale.frame(this.#place.scrollLeft));
    this.#lookUnder();
    this.draw();
  }

  setOptions(options: LaneOptions): void {
    this.#options = options;
    this.#layRows();
    this.#layTime();
    this.draw();
  }

  setFolded(folded: ReadonlySet<string>): void {
    this.#folded = folded;
    this.#layRows();
    this.draw();
  }

  setNow(now: number): void {
    this.#now = now;
    this.draw();
  }

  setSelected(bar: number): void {
    if (this.#selected === bar) return;
    this.#selected = bar;
    this.draw();
  }

  /** setFrame zooms and scrolls to a time. */
  setFrame(frame: Frame): void {
    this.#zoom = frame.zoom;
    this.#layTime(frame);
    this.draw();
  }

  /** zoom zooms by a factor; the time at the pixel of the canvas, else the middle, stays where it is. */
  zoom(by: number, x = this.#gutter + this.#scale.width / 2): void {
    const span = this.#placed.data.to - this.#placed.data.from;
    const from = this.#scale.at(this.#place.scrollLeft + x - this.#gutter);
    this.#zoom = clampZoom(this.#zoom * by, span);
    this.#layTime();
    this.#place.scrollLeft = this.#scale.x(from) - (x - this.#gutter);
    this.#comeToRest();
    this.draw();
  }

  /** show moves the cursor to a bar and brings it into sight. */
  show(bar: number): void {
    this.#go({ kind: "bar", bar });
  }

  /** edgesOf lists the edges of one bar. */
  edgesOf(bar: number): Edge[] {
    this.#neighbours ??= new Neighbours(this.#placed);
    return this.#neighbours.of(bar);
  }

  /** draw asks for the picture to be drawn with the browser's next frame. */
  draw(): void {
    if (this.#asked !== 0) return;
    this.#asked = requestAnimationFrame(() => {
      this.#asked = 0;
      if (this.#context === null) return;
      this.#palette ??= new Palette(devicePixelRatio);
      paint(this.#context, this.#scene(), this.#palette, this.#grid, this.#strip);
    });
  }

  get #gutter(): number {
    const wanted = this.#options.gutter ?? 220;
    return this.#width > 1 && this.#width < 500 ? Math.min(wanted, Math.round(this.#width * 0.36)) : wanted; // on a phone the times need room too
  }

  get #strip(): number {
    return this.#placed.data.strip === undefined ? 0 : (this.#options.stripHeight ?? 52);
  }

  get #head(): number {
    return axisHeight + this.#strip;
  }

  #bar(n: number): Bar | undefined {
    return this.#placed.data.bars[n];
  }

  #scene(): Scene {
    const active = [this.#hover, this.#cursor].map((spot) => (spot.kind === "bar" ? spot.bar : -1));
    const looked = [...active, this.#selected].filter((n) => n >= 0);
    const edges = [...new Set(looked.flatMap((n) => this.edgesOf(n)))];
    return {
      placed: this.#placed,
      rows: this.#rows,
      laneRow: this.#laneRow,
      looks: this.#options.looks ?? stateLooks,
      scale: this.#scale,
      left: this.#place.scrollLeft,
      top: this.#place.scrollTop,
      width: this.#width,
      height: this.#height,
      gutter: this.#gutter,
      head: this.#head,
      now: this.#now,
      cursor: document.activeElement === this.#place ? this.#cursor : none,
      hover: this.#hover,
      selected: this.#selected,
      edges,
      behind: this.#options.edges === "all" ? (this.#placed.data.edges ?? []) : [],
    };
  }

  #measure(): void {
    const { clientWidth, clientHeight } = this.#place;
    if (clientWidth === 0 || clientHeight === 0) return;
    const ratio = devicePixelRatio;
    const same = this.#width === clientWidth && this.#height === clientHeight && this.#palette?.ratio === ratio;
    if (same) return;
    const frame = this.#scale.frame(this.#place.scrollLeft);
    this.#width = clientWidth;
    this.#height = clientHeight;
    if (this.#palette?.ratio !== ratio) this.#palette = undefined;
    this.#canvas.width = Math.round(clientWidth * ratio);
    this.#canvas.height = Math.round(clientHeight * ratio);
    this.#canvas.style.width = `${clientWidth}px`;
    this.#canvas.style.height = `${clientHeight}px`;
    this.#layTime(this.#zoom > 1 ? frame : undefined);
    this.draw();
  }

  #recolour(): void {
    this.#palette = undefined;
    this.draw();
  }

  #layRows(): void {
    const lane = this.#options.laneHeight ?? 24;
    const measures: Measures = { lane, more: 18, heading: 26 };
    const { rows, height } = rowsOf(this.#placed, this.#folded, measures);
    this.#rows = rows;
    this.#laneRow = new Int32Array(this.#placed.data.lanes.length).fill(-1);
    rows.forEach((row, k) => {
      if (row.lane >= 0) this.#laneRow[row.lane] = k;
      else if (row.folded) for (const one of row.lanes) this.#laneRow[one] = k;
    });
    this.#inner.style.height = `${this.#head + height + 8}px`;
  }

  #layTime(frame?: Frame): void {
    const { from, to, zone } = this.#placed.data;
    const before = this.#scale;
    this.#scale = new Scale(from, to, this.#width - this.#gutter, this.#zoom);
    this.#zoom = this.#scale.zoom;
    this.#inner.style.width = `${this.#gutter + this.#scale.content}px`;
    if (before.from !== from || before.to !== to || before.density !== this.#scale.density || this.#grid.length === 0)
      this.#grid = ticks(from, to, zone, this.#scale.density, 22);
    if (frame) this.#place.scrollLeft = this.#scale.scrolled(frame);
  }

  #scrolled(): void {
    this.#comeToRest();
    this.draw();
  }

  #comeToRest(): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.events.frame?.(this.#scale.frame(this.#place.scrollLeft)), 300);
  }

  #at(event: MouseEvent): { spot: Spot; x: number; y: number } {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    return { spot: hit(this.#scene(), x, y), x, y };
  }

  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { x } = this.#at(event);
    this.zoom(1.002 ** -event.deltaY, x);
  }

  /** down begins a click, a drag of a bar, or of the whole picture. */
  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    this.#place.focus({ preventScroll: true });
    const { spot, x, y } = this.#at(event);
    const n = spot.kind === "bar" ? spot.bar : -1;
    const bar = this.#bar(n);
    const box = bar && boxOf(this.#scene(), n);
    const grip = bar && box && gripOf(bar, box.x + box.w - x);
    const origin = { left: this.#place.scrollLeft, top: this.#place.scrollTop };
    const end = new AbortController();
    let moved = false;
    let last = bar && { from: bar.from, to: bar.to };
    this.#canvas.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      const [dx, dy] = [next.clientX - event.clientX, next.clientY - event.clientY];
      if (!moved && Math.hypot(dx, dy) < 4) return;
      moved = true;
      this.#left();
      if (bar && grip) {
        last = dragged(bar, grip, dx / this.#scale.density, dragStep(this.#scale.density));
        this.events.drag?.(n, last.from, last.to, false);
        return;
      }
      this.#canvas.dataset.grip = "pan";
      this.#place.scrollTo(origin.left - dx, origin.top - dy);
    };
    const up = (next: PointerEvent) => {
      end.abort();
      delete this.#canvas.dataset.grip;
      if (!moved) this.#clicked(spot, y);
      else if (bar && grip && last)
        this.events.drag?.(n, ...((next.type === "pointerup" ? [last.from, last.to] : [bar.from, bar.to]) as [number, number]), true);
    };
    const { signal } = end;
    this.#canvas.addEventListener("pointermove", move, { signal });
    this.#canvas.addEventListener("pointerup", up, { signal });
    this.#canvas.addEventListener("pointercancel", up, { signal });
  }

  #clicked(spot: Spot, y: number): void {
    if (spot.kind === "none" && y < this.#head) return;
    this.#cursor = spot;
    if (spot.kind === "group") this.#fold(spot.group);
    else if (spot.kind !== "lane") {
      this.#selected = spot.kind === "bar" ? spot.bar : -1;
      this.events.select?.(this.#selected);
    }
    if (spot.kind !== "none") this.events.cursor?.(spot);
    this.draw();
  }

  #fold(group: string): void {
    this.events.fold?.(group, !this.#folded.has(group));
  }

  #double(event: MouseEvent): void {
    const { spot } = this.#at(event);
    if (spot.kind === "bar" || spot.kind === "lane") this.events.open?.(spot);
  }

  #move(event: PointerEvent): void {
    if (event.buttons !== 0) return;
    const { spot, x, y } = this.#at(event);
    this.#pointer = { x, y };
    this.#hovered(spot, x, y);
  }

  /** lookUnder tells what lies under the pointer when the picture has moved and the pointer has not. */
  #lookUnder(): void {
    if (this.#pointer === undefined) return;
    const { x, y } = this.#pointer;
    const spot = hit(this.#scene(), x, y);
    this.#hover = spot;
    this.events.hover?.(spot, x, y);
  }

  #left(): void {
    this.#pointer = undefined;
    this.#hovered(none, 0, 0);
  }

  #hovered(spot: Spot, x: number, y: number): void {
    if (spot.kind === "none" && this.#hover.kind === "none") return;
    const bar = spot.kind === "bar" ? this.#bar(spot.bar) : undefined;
    const box = bar?.drag && boxOf(this.#scene(), spot.kind === "bar" ? spot.bar : -1);
    const grip = bar && box ? gripOf(bar, box.x + box.w - x) : undefined;
    if (spot.kind === "none") delete this.#canvas.dataset.over;
    else this.#canvas.dataset.over = grip ?? spot.kind;
    const same = JSON.stringify(spot) === JSON.stringify(this.#hover);
    this.#hover = spot;
    this.events.hover?.(spot, x, y);
    if (!same) this.draw();
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.#place || event.ctrlKey || event.metaKey) return;
    if (this.#pressed(event)) event.preventDefault();
  }

  /** pressed does what a key says, and reports whether it says anything. */
  #pressed({ key, shiftKey, altKey }: KeyboardEvent): boolean {
    const spot = this.#cursor;
    if (spot.kind === "bar" && (shiftKey || altKey) && (key === "ArrowLeft" || key === "ArrowRight")) {
      return this.#nudge(spot.bar, altKey ? "end" : "move", key === "ArrowLeft" ? -1 : 1);
    }
    if (altKey) return false;
    if (key === "+" || key === "=") this.zoom(1.5);
    else if (key === "-") this.zoom(1 / 1.5);
    else if (key === "0") this.zoom(0);
    else if ((key === "Enter" || key === " ") && spot.kind !== "none") this.#chosen(spot, key);
    else if (spot.kind === "group" && (key === "ArrowLeft" || key === "ArrowRight")) {
      if (this.#folded.has(spot.group) === (key === "ArrowRight")) this.#fold(spot.group);
    } else if (key === "Escape") {
      this.#selected = -1;
      this.events.select?.(-1);
      this.draw();
    } else {
      const next = step(this.#scene(), spot, key);
      if (next === undefined) return false;
      this.#go(next);
    }
    return true;
  }

  #chosen(spot: Spot, key: string): void {
    if (spot.kind === "group") this.#fold(spot.group);
    else if (key === "Enter") this.events.open?.(spot);
    else if (spot.kind === "bar") {
      this.#selected = spot.bar;
      this.events.select?.(spot.bar);
      this.draw();
    }
  }

  #nudge(n: number, grip: Grip, way: number): boolean {
    const bar = this.#bar(n);
    if (bar?.drag === undefined || (bar.drag !== "both" && bar.drag !== grip)) return false;
    const by = dragStep(this.#scale.density);
    const next = dragged(bar, grip, way * by, by);
    this.events.drag?.(n, next.from, next.to, true);
    return true;
  }

  /** go moves the cursor and brings it into sight. */
  #go(spot: Spot): void {
    this.#cursor = spot;
    const lane = spot.kind === "bar" ? this.#bar(spot.bar)?.lane : spot.kind === "lane" ? spot.lane : undefined;
    const row =
      spot.kind === "group"
        ? this.#rows.find((one) => one.lane < 0 && one.group === spot.group)
        : this.#rows[lane === undefined ? -1 : (this.#laneRow[lane] ?? -1)];
    if (row) {
      const seen = this.#height - this.#head;
      const { scrollTop, scrollLeft } = this.#place;
      if (row.y < scrollTop) this.#place.scrollTop = row.y;
      else if (row.y + row.height > scrollTop + seen) this.#place.scrollTop = row.y + row.height - seen;
      const bar = spot.kind === "bar" ? this.#bar(spot.bar) : undefined;
      if (bar) {
        const x = this.#scale.x(bar.from);
        if (x < scrollLeft || x > scrollLeft + this.#scale.width - 24) this.#place.scrollLeft = x - this.#scale.width / 3;
      }
    }
    this.events.cursor?.(spot);
    this.draw();
  }
}
