import type { Preview } from "./queries";

type Instance = Preview["instances"][number];
type Wait = Instance["dependencies"][number];

/** A Drawing is a day of a job and what one of its instances waits for, in pixels: its own times above, a lane for each dependency below. */
export interface Drawing {
  width: number;
  height: number;
  axis: { x: number; at: number }[];
  own: { x: number; n: number; chosen: boolean }[];
  day: { x: number; width: number };
  lanes: Lane[];
  left: number; // dependencies without a lane
}

export interface Lane {
  n: number;
  y: number;
  name: string;
  window: { x: number; width: number } | null;
  marks: { x: number; in: boolean; at: string }[];
  link: { from: number; to: [number, number] } | null; // from the instance to the first and the last that it waits for
}

export const ownLane = 40;
const laneHeight = 46;
const mostLanes = 12;
const edge = 22; // pixels left free at either side
const hour = 3_600_000;
const furthest = 62 * 24 * hour; // before and after the day
const steps = [1, 2, 3, 6, 12, 24, 48, 168, 336, 744].map((n) => n * hour);
const apart = 74; // pixels between two labels of the axis

/** draw places a day, of which one instance is looked at, on so many pixels. */
export function draw(preview: Preview, chosen: number, width: number): Drawing {
  const instance = preview.instances[chosen];
  const waits = instance?.dependencies ?? [];
  const day: [number, number] = [Date.parse(preview.from), Date.parse(preview.to)];
  const [from, to] = extent(day, waits);
  const x = (at: number) => edge + ((Math.min(to, Math.max(from, at)) - from) / (to - from)) * (width - 2 * edge);
  const shown = waits.slice(0, mostLanes);
  const ownAt = instance === undefined ? 0 : Date.parse(instance.planTime);
  return {
    width,
    height: ownLane + shown.length * laneHeight + 18,
    axis: ticks(from, to, day[0], width).map((at) => ({ x: x(at), at })),
    own: preview.instances.map((one, n) => ({ x: x(Date.parse(one.planTime)), n, chosen: n === chosen })),
    day: { x: x(day[0]), width: x(day[1]) - x(day[0]) },
    lanes: shown.map((wait, n) => lane(wait, n, x, ownAt, preview.workflow)),
    left: waits.length - shown.length,
  };
}

function lane(wait: Wait, n: number, x: (at: number) => number, own: number, workflow: string): Lane {
  const window = wait.rule === "self" ? null : span(wait.window.from, wait.window.to);
  return {
    n,
    y: ownLane + (n + 1) * laneHeight - 10,
    name: wait.workflow === workflow ? wait.job : `${wait.workflow}/${wait.job}`,
    window: window && { x: x(window[0]), width: Math.max(2, x(window[1]) - x(window[0])) },
    marks: (wait.candidates?.items ?? []).map((one) => ({ x: x(Date.parse(one.planTime)), in: one.in, at: one.planTime })),
    link:
      wait.first === undefined || wait.last === undefined
        ? null
        : { from: x(own), to: [x(Date.parse(wait.first)), x(Date.parse(wait.last))] },
  };
}

/** span is a range of times; null for one that is unbounded, which the API says by the year 1. */
function span(from: string, to: string): [number, number] | null {
  const ends: [number, number] = [Date.parse(from), Date.parse(to)];
  return ends.some((at) => Number.isNaN(at) || at < 0) ? null : ends;
}

/** extent is the time that is shown: the day, and what the instance looks at. */
function extent(day: [number, number], waits: Wait[]): [number, number] {
  let [from, to] = day;
  for (const wait of waits) {
    const ends = [span(wait.window.from, wait.window.to), wait.first && wait.last ? span(wait.first, wait.last) : null];
    for (const end of ends) {
      if (end === null) continue;
      from = Math.min(from, end[0]);
      to = Math.max(to, end[1]);
    }
  }
  return [Math.max(from, day[0] - furthest), Math.min(to, day[1] + furthest)];
}

function ticks(from: number, to: number, anchor: number, width: number): number[] {
  const step = steps.find((one) => ((to - from) / one) * apart <= width) ?? to - from;
  const list: number[] = [];
  for (let at = anchor - Math.floor((anchor - from) / step) * step; at <= to; at += step) list.push(at);
  return list;
}
