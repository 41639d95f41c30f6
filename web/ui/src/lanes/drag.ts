import type { Bar } from "./model";

/** A Grip is what of a bar is held: all of it, or its end. */
export type Grip = "move" | "end";

/** gripOf is what a pointer takes hold of at a place of a bar, so many pixels from its end; undefined when it can not be moved. */
export function gripOf(bar: Bar, fromEnd: number): Grip | undefined {
  if (bar.drag === undefined) return undefined;
  if (bar.drag !== "both") return bar.drag;
  return fromEnd < 7 ? "end" : "move";
}

/** dragged is where a bar is when it has been moved by so many milliseconds, in whole steps. An end never comes before its beginning. */
export function dragged(bar: Bar, grip: Grip, by: number, step: number): { from: number; to: number } {
  const whole = Math.round(by / step) * step;
  if (grip === "end") return { from: bar.from, to: Math.max(bar.from, bar.to + whole) };
  return { from: bar.from + whole, to: bar.to + whole };
}

/** dragStep is the step of a drag: about 4 pixels, in minutes. */
export function dragStep(density: number): number {
  const minute = 60_000;
  return [1, 5, 10, 15, 30, 60].map((n) => n * minute).find((one) => one * density >= 4) ?? 60 * minute;
}
