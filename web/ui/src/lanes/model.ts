/**
 * What the lanes show. The picture is x = time, y = lane: it needs no layout but what is said here. All times are milliseconds since the epoch.
 *
 * The least that is needed: `<Lanes label="…" data={{ from, to, zone, lanes, bars }} describe={…} />`.
 */
export interface LanesData {
  from: number;
  to: number; // the window is [from, to)
  zone: string; // of the hour grid, as in the tz database
  lanes: readonly Lane[]; // those of one group stand together
  bars: readonly Bar[]; // of any order; the index of a bar in here is its number
  edges?: readonly Edge[];
  groups?: ReadonlyMap<string, string>; // a note at a group's heading, such as counts
  strip?: Strip;
}

/** A Lane is one row: a job. Bars that overlap in time are stacked in it. */
export interface Lane {
  label: string;
  group?: string; // lanes of one group have a heading above them, which folds them; none has no heading
  soft?: boolean; // the label is told quietly: nothing of it is of interest
}

/** A Bar is one instance. */
export interface Bar {
  id: string; // stays while the data changes: what is focused and selected is found again by it
  lane: number; // index into lanes
  from: number;
  to: number; // at or after from
  look: string; // a key of the looks
  due?: number; // a thin line leads from here to the bar: when it should have begun
  known?: number; // up to here it has happened; what is behind is expected, and drawn as an outline
  late?: boolean; // marked by a corner of its own
  sign?: "frozen" | "ordered"; // what a person has said of it, drawn before its beginning
  ticks?: readonly number[]; // where within it something begins anew, such as another attempt
  deadline?: number; // by when it must have ended: a flag in its lane, filled when it is late
  ghost?: boolean; // nothing is recorded of it: drawn broken
  faded?: boolean; // another is looked for
  drag?: "move" | "end" | "both"; // what a pointer, and Shift and Alt with the arrows, can do to it
  before?: { from: number; to: number }; // where it was before it was moved: a shadow
}

/** An Edge leads from a bar, or from the range of bars [from, last] of one lane, to a bar. Numbers are indices into bars. */
export interface Edge {
  from: number;
  last?: number;
  to: number;
  look?: "satisfied" | "open" | "critical";
  count?: number; // written at a range: how many the range holds
}

/** A Look is how bars of one kind are drawn: by its colour, its glyph and its filling, so that none is told by the colour alone. */
export interface Look {
  colour: string; // the name of a custom property, such as --failed
  glyph: string; // a path in a square of 16
  filled?: boolean; // the glyph is filled
  fill: "tint" | "solid" | "outline" | "hatch";
  rank: number; // where bars share a place, that of the higher rank is seen
}

/** A Strip is a chart of steps above the lanes: how many of something there are at each time, and how many there may be. */
export interface Strip {
  label: string;
  steps: readonly { at: number; value: number }[]; // ascending; a value holds until the next
  limit?: number;
  before?: readonly { at: number; value: number }[]; // how it was: a broken line
}

/** What a pointer or the cursor is at. */
export type Spot = { kind: "bar"; bar: number } | { kind: "group"; group: string } | { kind: "lane"; lane: number } | { kind: "none" };

/** A Frame is what of the data is in sight; it can be kept in an address. zoom 1 shows the whole window. */
export interface Frame {
  zoom: number;
  at: number; // the time in the middle
}
