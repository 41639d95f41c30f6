import type { Schemas } from "../api/client";

export type Simulation = Schemas["Simulation"];
type Columns = Schemas["SimulatedColumns"];

/** A Foresight is a played day: the answer of the server, and its columns read as instances. An instance is told by its place, from 0 on, by start. */
export class Foresight {
  readonly answer: Simulation;
  readonly columns: Columns;
  readonly base: number; // in milliseconds since the epoch, as all times are
  readonly from: number;
  readonly to: number; // the end of what is shown: of the days, or of the last thing that happens
  readonly count: number;
  readonly late: ReadonlySet<number>;
  readonly backfill: ReadonlySet<number>;

  constructor(answer: Simulation) {
    this.answer = answer;
    this.columns = answer.columns ?? none;
    this.base = Date.parse(this.columns.base);
    this.from = Date.parse(answer.from);
    this.to = Math.max(Date.parse(answer.to), Date.parse(answer.last));
    this.count = this.columns.job.length;
    this.late = new Set(this.columns.late);
    this.backfill = new Set(this.columns.backfill);
  }

  job(i: number): Schemas["SimulatedJob"] {
    return this.columns.jobs[this.columns.job[i] ?? 0] ?? nobody;
  }

  planTime(i: number): number {
    return this.base + (this.columns.planTime[i] ?? 0);
  }

  /** When it starts; undefined when it never does. */
  start(i: number): number | undefined {
    const at = this.columns.startedAt[i] ?? -1;
    return at < 0 ? undefined : this.base + at;
  }

  end(i: number): number | undefined {
    const at = this.columns.endedAt[i] ?? -1;
    return at < 0 ? undefined : this.base + at;
  }

  state(i: number): string {
    return this.columns.states[this.columns.state[i] ?? 0] ?? "";
  }

  /** The gate that held it longest after its time had come. */
  gate(i: number): string | undefined {
    return this.columns.gates[this.columns.gate[i] ?? -1];
  }

  held(i: number): number {
    return this.columns.heldMs[i] ?? 0;
  }

  /** By when it should have ended. */
  deadline(i: number): number | undefined {
    const after = this.job(i).deadlineMs ?? 0;
    return after === 0 || this.backfill.has(i) ? undefined : this.planTime(i) + after;
  }

  /** name is how the command line and the server name an instance: workflow/job@time. */
  name(i: number): string {
    const job = this.job(i);
    return `${job.workflow}/${job.job}@${instant(this.planTime(i), job.timeZone)}`;
  }

  /** find is the place of a named instance, -1 when there is none. */
  find(name: string): number {
    const at = name.lastIndexOf("@");
    const time = Date.parse(name.slice(at + 1)) - this.base;
    const job = this.columns.jobs.findIndex((one) => `${one.workflow}/${one.job}` === name.slice(0, at));
    if (at < 0 || job < 0) return -1;
    for (let i = 0; i < this.count; i++) {
      if (this.columns.job[i] === job && this.columns.planTime[i] === time && !this.backfill.has(i)) return i;
    }
    return -1;
  }

  /** path is the critical path of an instance, from the one that only waited for its time to itself. */
  path(i: number): number[] {
    const path: number[] = [];
    const seen = new Set<number>();
    for (let at = i; at >= 0 && !seen.has(at); at = this.columns.before[at] ?? -1) {
      seen.add(at);
      path.push(at);
    }
    return path.reverse();
  }

  /** jeopardised are those that end in time, but with less than a tenth of their time, or 5 minutes, to spare; the nearest first. */
  jeopardised(): { at: number; left: number }[] {
    const list: { at: number; left: number }[] = [];
    this.#deadlines((at, deadline, end) => {
      const left = deadline - (end ?? Number.POSITIVE_INFINITY);
      if (left >= 0 && left < Math.max(300_000, (deadline - this.planTime(at)) / 10)) list.push({ at, left });
    });
    return list.sort((a, b) => a.left - b.left);
  }

  /** missed are those that end after their deadline, by how much, or never; the worst first. */
  missed(): { at: number; by: number }[] {
    const list: { at: number; by: number }[] = [];
    this.#deadlines((at, deadline, end) => {
      if (this.late.has(at)) list.push({ at, by: (end ?? Number.POSITIVE_INFINITY) - deadline });
    });
    return list.sort((a, b) => (a.by === b.by ? a.at - b.at : b.by - a.by));
  }

  #deadlines(each: (at: number, deadline: number, end: number | undefined) => void): void {
    for (let i = 0; i < this.count; i++) {
      const deadline = this.deadline(i);
      if (deadline !== undefined) each(i, deadline, this.end(i));
    }
  }
}

const nobody: Schemas["SimulatedJob"] = { workflow: "", job: "", timeZone: "UTC" };
const none: Columns = {
  base: new Date(0).toISOString(),
  jobs: [],
  states: [],
  gates: [],
  job: [],
  planTime: [],
  startedAt: [],
  endedAt: [],
  state: [],
  heldMs: [],
  gate: [],
  before: [],
  backfill: [],
  late: [],
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** format reads clocks of a zone; one that this browser does not know is read in UTC, by which every time is still told right. */
function format(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const options: Intl.DateTimeFormatOptions = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  };
  let made: Intl.DateTimeFormat;
  try {
    made = new Intl.DateTimeFormat("en-CA", { ...options, timeZone: zone });
  } catch {
    made = new Intl.DateTimeFormat("en-CA", { ...options, timeZone: "UTC" });
  }
  formats.set(zone, made);
  return made;
}

/** instant is a time in a zone as RFC 3339 has it, which the whole API writes: 2026-11-22T05:00:00+01:00. */
export function instant(at: number, zone: string): string {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of format(zone).formatToParts(at)) parts[type] = value;
  const offset = (parts.timeZoneName ?? "GMT").replace("GMT", "");
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}${offset === "" || offset === "+00:00" ? "Z" : offset}`;
}
