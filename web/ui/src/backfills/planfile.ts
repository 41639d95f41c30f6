import type { Plan, PlanRow } from "./queries";

/** format is the version of the document of a saved plan that this page reads. */
export const format = "almanac-backfill/1";

/** planText writes a plan as `almanac backfill plan -o` does: the head, and an instance a line, so that two of them can be compared line by line. */
export function planText(plan: Plan): string {
  const { instances, ...head } = plan;
  const text = JSON.stringify(head, null, 2);
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
    plan.format === format &&
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
    plan.jobs.every((job) => typeof job?.workflow === "string" && typeof job.job === "string") &&
    (plan.instances === undefined || (Array.isArray(plan.instances) && plan.instances.every(isRow)));
  return whole ? (plan as Plan) : null;
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

/** A Change is an instance of which two plans say something else; null is that one does not have it. */
export interface Change {
  job: string;
  planTime: string;
  was: PlanRow | null;
  is: PlanRow | null;
}

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
  const before = new Map((then.instances ?? []).map((row) => [`${row.job}@${Date.parse(row.planTime)}`, row]));
  const changes: Change[] = [];
  let more = 0;
  const add = (change: Change) => {
    if (changes.length < most) changes.push(change);
    else more++;
  };
  for (const row of now.instances ?? []) {
    const name = `${row.job}@${Date.parse(row.planTime)}`;
    const old = before.get(name);
    before.delete(name);
    if (old === undefined || JSON.stringify(told(old)) !== JSON.stringify(told(row))) {
      add({ job: row.job, planTime: row.planTime, was: old ?? null, is: row });
    }
  }
  for (const row of before.values()) add({ job: row.job, planTime: row.planTime, was: row, is: null });
  return {
    in: [then.in, now.in],
    out: [then.out, now.out],
    why: reasons.map((reason) => [reason, then.why[reason] ?? 0, now.why[reason] ?? 0]),
    jobs: names.map((name): [string, number, number] => [name, a.get(name) ?? 0, b.get(name) ?? 0]).filter(([, was, is]) => was !== is),
    changes,
    more,
  };
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
