import type { Bar } from "../lanes/model";

/** The strip has a step each half minute at the finest: the most that ran at once in it. */
const grain = 30_000;

/** demand counts how many of the bars run at each time, as steps. What lies outside of the window is left out. */
export function demand(bars: Iterable<Pick<Bar, "from" | "to">>, from: number, to: number): { at: number; value: number }[] {
  const size = Math.max(1, Math.ceil((to - from) / grain));
  const begin = new Int32Array(size + 1);
  for (const bar of bars) {
    if (bar.to <= bar.from || bar.to <= from || bar.from >= to) continue;
    const first = Math.max(0, Math.floor((bar.from - from) / grain));
    const last = Math.min(size, Math.max(first + 1, Math.ceil((bar.to - from) / grain)));
    begin[first] = (begin[first] ?? 0) + 1;
    begin[last] = (begin[last] ?? 0) - 1;
  }
  const steps = [{ at: from, value: 0 }];
  let value = 0;
  for (let k = 0; k < size; k++) {
    value += begin[k] ?? 0;
    if (value !== steps.at(-1)?.value) steps.push({ at: from + k * grain, value });
  }
  return steps;
}
