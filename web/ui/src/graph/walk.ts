export type Step = "left" | "right" | "up" | "down";

export interface Spot {
  key: string;
  x: number; // of the middle
  y: number;
}

/**
 * walk is where an arrow key leads: left and right along the lines, to what is waited for and to what waits, the nearest first; up and down to the next in the same
 * column, or where there is none in the next but near.
 */
export function walk(from: Spot, step: Step, spots: Spot[], lines: { from: string; to: string }[]): string | null {
  const nearest = (list: Spot[], weight: (one: Spot) => number): string | null =>
    list.reduce<Spot | null>((best, one) => (best === null || weight(one) < weight(best) ? one : best), null)?.key ?? null;
  if (step === "left" || step === "right") {
    const ends = new Set(
      lines.flatMap((line) => (step === "left" ? (line.to === from.key ? [line.from] : []) : line.from === from.key ? [line.to] : [])),
    );
    return nearest(
      spots.filter((one) => ends.has(one.key)),
      (one) => Math.abs(one.y - from.y) + Math.abs(one.x - from.x) / 1000,
    );
  }
  const sign = step === "up" ? -1 : 1;
  return nearest(
    spots.filter((one) => one.key !== from.key && (one.y - from.y) * sign > 1),
    (one) => Math.abs(one.y - from.y) + 4 * Math.abs(one.x - from.x),
  );
}
