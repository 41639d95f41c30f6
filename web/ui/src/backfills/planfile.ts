import type { Plan, PlanRow } from "./queries";

/** A Range is instances of a job that follow one another, of all of which a plan says the same. */
type Range = NonNullable<Plan["jobs"][number]["ranges"]>[number];

/** format is the version of the document of a saved plan. That before is read too. */
export const format = "almanac-backfill/2";
const formats: unknown[] = [format, "almanac-backfill/1"];

/** planText writes a plan as `almanac backfill plan -o` does: the head, and an instance a line, so that two of them can be compared line by line. A long plan has ranges alone. */
export function planText(plan: Plan): string {
  const { instances, ...head } = plan;
  const text = JSON.stringify(head, null, 2);
  if ((instances ?? []).length === 0) return `${text}\n`;
  const lines = (instances ?? []).map((row) => `\n    ${escaped(JSON.stringify(row))}`);
  return `${text.slice(0, -2)},\n  "instances": [${lines.join(",")}\n  ]\n}\n`;
}

/** escaped writes what the program escapes within a line, so that both write the same bytes. */
function escaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** readPlan reads a saved plan; null when the text is none. */
export function readPlan(text: string): Plan | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const plan = value as Partial<Plan>;
  const whole =
    formats.includes(plan.format) &&
    typeof plan.id === "string" &&
    typeof plan.at === "string" &&
    typeof plan.fingerprint === "string" &&
    typeof plan.in === "number" &&
    typeof plan.out === "number" &&
    typeof plan.request === "object" &&
    plan.request !== null &&
    isTexts(plan.request.jobs) &&
    typeof plan.why === "object" &&
    plan.why !== null &&
    Array.isArray(plan.jobs) &&
    plan.jobs.every(
      (job) => typeof job?.workflow === "string" && typeof job.job === "string" && (job.ranges === undefined || job.ranges.every(isRange)),
    ) &&
    (plan.instances === undefined || (Array.isArray(plan.instances) && plan.instances.every(isRow)));
  return whole ? (plan as Plan) : null;
}

/** isListed reports whether a plan lists every instance of its range. A long plan does not: the ranges of its jobs hold all. */
export function isListed(plan: Plan): boolean {
  return (plan.instances ?? []).length === plan.in + plan.out;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isRow(row: Partial<PlanRow> | null): boolean {
  return (
    typeof row === "object" &&
    row !== null &&
    typeof row.job === "string" &&
    typeof row.planTime === "string" &&
    typeof row.in === "boolean" &&
    typeof row.why === "string" &&
    (row.text === undefined || typeof row.text === "string") &&
    (row.waits === undefined || isTexts(row.waits))
  );
}

function isRange(range: Partial<Range> | null): boolean {
  return (
    typeof range === "object" &&
    range !== null &&
    typeof range.from === "string" &&
    typeof range.to === "string" &&
    typeof range.instances === "number" &&
    typeof range.in === "boolean" &&
    typeof range.why === "string" &&
    (range.reasons === undefined || (typeof range.reasons === "object" && range.reasons !== null))
  );
}

/** A Change is an instance of which two plans say something else; null is that one does not have it. */
export interface Change {
  job: string;
  planTime: string;
  to?: string; // of a range of instances, of which the two plans say something else: the last
  n?: number; // how many these are
  was: Said | null;
  is: Said | null;
}

/** What a plan says of an instance, or of each of a range; of one of several reasons, how many there are of each. */
export type Said = Pick<PlanRow, "in" | "why" | "text" | "waits"> & { reasons?: Record<string, number> };

/** A Comparison is what two plans differ in. */
export interface Comparison {
  in: [number, number];
  out: [number, number];
  why: [string, number, number][]; // by reason: then and now
  jobs: [string, number, number][]; // instances that are in, of jobs of which that differs
  changes: Change[]; // at most some
  more: number; // changes beyond these
}

/** compare says what a plan differs in from an earlier one. */
export function compare(then: Plan, now: Plan, most = 200): Comparison {
  const reasons = [...new Set([...Object.keys(then.why), ...Object.keys(now.why)])].sort();
  const inOf = (plan: Plan) => new Map(plan.jobs.map((job) => [`${job.workflow}/${job.job}`, job.in]));
  const [a, b] = [inOf(then), inOf(now)];
  const names = [...new Set([...a.keys(), ...b.keys()])].sort();
  const changes: Change[] = [];
  let more = 0;
  const add = (change: Change) => {
    if (changes.length < most) changes.push(change);
    else more++;
  };
  if (isListed(then) && isListed(now)) compareRows(then, now, add);
  else compareRanges(then, now, add);
  return {
    in: [then.in, now.in],
    out: [then.out, now.out],
    why: reasons.map((reason) => [reason, then.why[reason] ?? 0, now.why[reason] ?? 0]),
    jobs: names.map((name): [string, number, number] => [name, a.get(name) ?? 0, b.get(name) ?? 0]).filter(([, was, is]) => was !== is),
    changes,
    more,
  };
}

function compareRows(then: Plan, now: Plan, add: (change: Change) => void): void {
  const before = new Map((then.instances ?? []).map((row) => [`${row.job}@${Date.parse(row.planTime)}`, row]));
  for (const row of now.instances ?? []) {
    const name = `${row.job}@${Date.parse(row.planTime)}`;
    const old = before.get(name);
    before.delete(name);
    if (old === undefined || JSON.stringify(told(old)) !== JSON.stringify(told(row))) {
      add({ job: row.job, planTime: row.planTime, was: old ?? null, is: row });
    }
  }
  for (const row of before.values()) add({ job: row.job, planTime: row.planTime, was: row, is: null });
}

/** compareRanges compares long plans: a range that only one of them has is a change, beside that of the other which begins with it. */
function compareRanges(then: Plan, now: Plan, add: (change: Change) => void): void {
  const rangesOf = (plan: Plan) => new Map(plan.jobs.map((job) => [`${job.workflow}/${job.job}`, job.ranges ?? []]));
  const [a, b] = [rangesOf(then), rangesOf(now)];
  const text = (range: Range | undefined) =>
    range &&
    JSON.stringify([
      Date.parse(range.from),
      Date.parse(range.to),
      range.instances,
      range.in,
      range.why,
      Object.entries(range.reasons ?? {}).sort(),
    ]);
  for (const job of [...new Set([...a.keys(), ...b.keys()])].sort()) {
    const before = new Map((a.get(job) ?? []).map((range) => [Date.parse(range.from), range]));
    const both = (one: Range, was: Range | undefined, is: Range | undefined) =>
      add({ job, planTime: one.from, to: one.to, n: one.instances, was: was ?? null, is: is ?? null });
    for (const range of b.get(job) ?? []) {
      const old = before.get(Date.parse(range.from));
      before.delete(Date.parse(range.from));
      if (text(old) !== text(range)) both(range, old, range);
    }
    for (const range of before.values()) both(range, range, undefined);
  }
}

const told = (row: PlanRow) => [row.in, row.why, row.text ?? "", row.waits ?? []];

/** A Filter chooses rows of a plan; what is empty chooses all. */
export interface Filter {
  show: "" | "in" | "out";
  why: string;
  job: string;
  words: string;
}

/** filtered lists the rows that a filter leaves. */
export function filtered(rows: PlanRow[], filter: Filter): PlanRow[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  if (filter.show === "" && filter.why === "" && filter.job === "" && words.length === 0) return rows;
  return rows.filter(
    (row) =>
      (filter.show === "" || row.in === (filter.show === "in")) &&
      (filter.why === "" || row.why === filter.why) &&
      (filter.job === "" || row.job === filter.job) &&
      words.every((word) => `${row.job} ${row.planTime} ${row.text ?? ""}`.toLowerCase().includes(word)),
  );
}
