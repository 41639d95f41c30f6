import type { Frame } from "./model";

const hour = 3_600_000;
const minute = 60_000;

/** A Scale puts times into pixels: of the content, whose left end is the window's beginning. */
export class Scale {
  readonly from: number;
  readonly to: number;
  readonly width: number; // of what is seen
  readonly zoom: number;
  constructor(from: number, to: number, width: number, zoom: number) {
    this.from = from;
    this.to = Math.max(to, from + minute);
    this.width = Math.max(1, width);
    this.zoom = clampZoom(zoom, this.to - this.from);
  }

  /** Pixels of a millisecond. */
  get density(): number {
    return this.content / (this.to - this.from);
  }

  /** The width of the whole window. */
  get content(): number {
    return this.width * this.zoom;
  }

  x(at: number): number {
    return (at - this.from) * this.density;
  }

  at(x: number): number {
    return this.from + x / this.density;
  }

  /** scrolled is how far to the left the content is when a frame is shown. */
  scrolled(frame: Frame): number {
    return Math.min(Math.max(0, this.x(frame.at) - this.width / 2), Math.max(0, this.content - this.width));
  }

  /** frame is what is shown when the content is so far to the left. */
  frame(scrolled: number): Frame {
    return { zoom: this.zoom, at: Math.round(this.at(scrolled + this.width / 2)) };
  }
}

/** clampZoom keeps between the whole window and one minute of it. */
export function clampZoom(zoom: number, span: number): number {
  return Math.min(Math.max(1, Number.isFinite(zoom) ? zoom : 1), Math.max(1, span / (15 * minute)));
}

/** A Tick is a line of the hour grid. */
export interface Tick {
  at: number;
  label: string; // of the zone's clock; "" has none
  day: boolean; // a day begins
}

const steps = [minute, 5 * minute, 15 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour];

/** A grid has at most so many lines: what is further apart than a screen is wide is not asked for. */
const mostTicks = 5_000;

/**
 * ticks are the lines of the grid in [from, to), at least so many pixels apart, their labels twice as many, at full hours of the zone's own clock: a day of 23
 * hours leaves one out, and one of 25 hours says one twice.
 */
export function ticks(from: number, to: number, zone: string, density: number, apart: number): Tick[] {
  const first = steps.findIndex((one) => one * density >= apart);
  const step = steps[first] ?? 24 * hour;
  const labelled = steps.slice(Math.max(0, first)).find((one) => one * density >= 2 * apart && one % step === 0) ?? 24 * hour;
  // Clocks are put forward and back by quarters of an hour at the least, so that these marks find every full hour of any zone.
  const mark = Math.min(step, 15 * minute);
  const clock = clockOf(zone);
  const list: Tick[] = [];
  for (let at = Math.ceil(from / mark) * mark; at < to && list.length < mostTicks; at += mark) {
    const [day, hours, minutes] = clock(at);
    const since = hours * hour + minutes * minute;
    if (since % step !== 0) continue;
    const label = since === 0 && to - from > 30 * hour ? day : `${pad(hours)}:${pad(minutes)}`;
    list.push({ at, day: since === 0, label: since % labelled === 0 ? label : "" });
  }
  return list;
}

const pad = (n: number) => String(n).padStart(2, "0");

/** clockOf reads the clock of a zone: the date, hours, minutes. One that the browser does not know is taken for UTC. */
export function clockOf(zone: string): (at: number) => [string, number, number] {
  const options = { hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-CA", { ...options, timeZone: zone });
  } catch {
    format = new Intl.DateTimeFormat("en-CA", { ...options, timeZone: "UTC" });
  }
  return (at) => {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(at)) parts[type] = value;
    return [`${parts.year}-${parts.month}-${parts.day}`, Number(parts.hour), Number(parts.minute)];
  };
}

/** timeIn is a time on the clock of a zone, HH:MM, with the date when it is of another day than the one given. */
export function timeIn(zone: string, day?: string): (at: number) => string {
  const clock = clockOf(zone);
  return (at) => {
    const [date, hours, minutes] = clock(at);
    const time = `${pad(hours)}:${pad(minutes)}`;
    return day === undefined || date === day ? time : `${date} ${time}`;
  };
}
