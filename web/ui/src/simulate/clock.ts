import { timeIn } from "../lanes/scale";

const clocks = new Map<string, (at: number) => string>();

/** hour is a time on the clock of a zone, with its date when that is not the one given: 05:00, or 2026-11-23 05:00. */
export function hour(at: number, zone: string, day: string): string {
  const key = `${zone} ${day}`;
  let clock = clocks.get(key);
  if (clock === undefined) {
    if (clocks.size > 500) clocks.clear();
    clock = timeIn(zone, day);
    clocks.set(key, clock);
  }
  return clock(at);
}
