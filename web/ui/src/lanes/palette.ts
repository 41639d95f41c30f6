import type { Look } from "./model";

/** A Palette is the colours of the theme as a canvas takes them, and the glyphs drawn once in them. */
export class Palette {
  readonly #style: CSSStyleDeclaration;
  readonly #colours = new Map<string, string>();
  readonly #glyphs = new Map<string, HTMLCanvasElement>();
  readonly #hatches = new Map<string, CanvasPattern | string>();
  readonly ratio: number;
  readonly font: string;

  constructor(ratio: number) {
    this.#style = getComputedStyle(document.documentElement);
    this.ratio = ratio;
    this.font = this.colour("--sans");
  }

  /** colour is the value of a custom property. */
  colour(name: string): string {
    let value = this.#colours.get(name);
    if (value === undefined) {
      value = this.#style.getPropertyValue(name).trim() || "#888";
      this.#colours.set(name, value);
    }
    return value;
  }

  /** glyph is a look's glyph in a colour, so many pixels wide, to be drawn again and again. */
  glyph(look: Look, colour: string, size: number): HTMLCanvasElement {
    const key = `${look.glyph} ${colour} ${size}`;
    let canvas = this.#glyphs.get(key);
    if (canvas === undefined) {
      canvas = document.createElement("canvas");
      canvas.width = canvas.height = Math.ceil(size * this.ratio);
      const c = canvas.getContext("2d");
      if (c) {
        const scale = canvas.width / 16;
        c.scale(scale, scale);
        c.strokeStyle = c.fillStyle = this.colour(colour);
        c.lineWidth = 2.2;
        c.lineCap = c.lineJoin = "round";
        const path = new Path2D(look.glyph);
        if (look.filled) c.fill(path);
        c.stroke(path);
      }
      this.#glyphs.set(key, canvas);
    }
    return canvas;
  }

  /** hatch is a pattern of slanted lines in a colour. */
  hatch(c: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
    let pattern = this.#hatches.get(colour);
    if (pattern === undefined) {
      const tile = document.createElement("canvas");
      const size = Math.round(6 * this.ratio);
      tile.width = tile.height = size;
      const t = tile.getContext("2d");
      if (t) {
        t.strokeStyle = this.colour(colour);
        t.globalAlpha = 0.55;
        t.lineWidth = this.ratio;
        t.beginPath();
        for (const shift of [-size, 0, size]) {
          t.moveTo(shift, size);
          t.lineTo(shift + size, 0);
        }
        t.stroke();
      }
      pattern = c.createPattern(tile, "repeat") ?? this.colour(colour);
      if (typeof pattern !== "string") pattern.setTransform(new DOMMatrix().scale(1 / this.ratio));
      this.#hatches.set(colour, pattern);
    }
    return pattern;
  }
}
