import { clock } from "../parts/time";
import type { PlanDiff } from "./queries";

/** What becomes of an instance. */
export type Kind = "lost" | "due" | "bound" | "added" | "removed" | "relinked" | "changed";
export const kinds: Kind[] = ["lost", "due", "bound", "added", "removed", "relinked", "changed"];

/** A Row is one instance of a diff. The marks are those of the command line. */
export interface Row {
  kind: Kind;
  mark: "!" | "=" | "+" | "−" | "~";
  at: string;
  workflow: string;
  job: string;
  key?: string;
  fate?: "runs" | "held" | "dropped" | "stranded";
  before?: string; // what it waited for
  after?: string; // what it waits for
  later?: boolean;
}

type Link = NonNullable<PlanDiff["relinked"]>[number]["before"][number];
type Name = { workflow: string; job: string; planTime: string; key?: string };

/** rowsOf lists what becomes of instances: what is due first, then by plan time. */
export function rowsOf(diff: PlanDiff): Row[] {
  const named = (one: Name) => ({ at: one.planTime, workflow: one.workflow, job: one.job, key: one.key });
  const due = diff.due.map((one): Row => {
    const lost = one.fate === "dropped" || one.fate === "stranded";
    return { kind: lost ? "lost" : "due", mark: lost ? "!" : "=", ...named(one), fate: one.fate };
  });
  const bound = (diff.bound ?? []).map((one): Row => {
    const [before, after] = apart(one.before, one.after);
    return { kind: "bound", mark: "~", ...named(one), before: links(before, one), after: links(after, one) };
  });
  const rows: Row[] = [
    ...diff.added.map((one): Row => ({ kind: "added", mark: "+", ...named(one), after: links(one.waits, one) })),
    ...diff.removed.map((one): Row => ({ kind: "removed", mark: "−", ...named(one) })),
    ...diff.relinked.map((one): Row => {
      const [before, after] = apart(one.before, one.after);
      return { kind: "relinked", mark: "~", ...named(one), before: links(before, one), after: links(after, one), later: one.later };
    }),
    ...diff.changed.map((one): Row => ({ kind: "changed", mark: "~", ...named(one) })),
  ];
  const time = new Map(rows.map((row) => [row, Date.parse(row.at)]));
  rows.sort((a, b) => (time.get(a) ?? 0) - (time.get(b) ?? 0));
  return [...due, ...bound, ...rows];
}

/** apart are the links of either side that the other has not. */
function apart(before: Link[], after: Link[]): [Link[], Link[]] {
  const text = (link: Link) => JSON.stringify(link);
  const was = new Set(before.map(text));
  const is = new Set(after.map(text));
  return [before.filter((link) => !is.has(text(link))), after.filter((link) => !was.has(text(link)))];
}

const shownTimes = 3;

/** links says what an instance waits for: "orders 02:00, 05:00; stores 01:00". It is "" for nothing. */
export function links(list: Link[], of: Name): string {
  return list
    .map((link) => {
      const name = link.workflow !== of.workflow ? `${link.workflow}/${link.job}` : link.job;
      const some = link.select === "all" ? "" : `${link.select}: `;
      return `${link.ended ? "⏹ " : ""}${some}${name} ${times(link.planTimes, of.planTime) || link.rule}`;
    })
    .join("; ");
}

/** times are plan times in short: the date only where it is not that of the instance, and of many the first and the last. */
export function times(list: string[], beside: string): string {
  const day = beside.slice(0, 10);
  const short = (at: string) => (at.slice(0, 10) === day ? clock(at).slice(11) : clock(at).slice(5));
  if (list.length <= shownTimes) return list.map(short).join(", ");
  return `${short(list[0] ?? "")} … ${short(list.at(-1) ?? "")} (${list.length})`;
}

const markdownRows = 100;

/** markdown is a diff for a pull request, as `almanac plan diff -o markdown` has it. */
export function markdown(diff: PlanDiff): string {
  const cell = (text: string) => text.replace(/[\\|<*_`[]/g, (c) => (c === "<" ? "&lt;" : `\\${c}`)).replace(/\s+/g, " ");
  const lines = [
    `### Plan: ${diff.summary.text}`,
    "",
    `${cell(diff.before.name)} → ${cell(diff.after.name)}, ${clock(diff.from)} to ${clock(diff.to)}`,
  ];
  if (diff.summary.dropped > 0) lines.push("", `> **Due and not started, and will be cancelled: ${diff.summary.dropped}**`);
  if (diff.jobs.length > 0) {
    lines.push("", "| job | definition |", "|---|---|");
    for (const one of diff.jobs) {
      lines.push(
        `| ${cell(`${one.workflow}/${one.job}`)} | ${cell([one.change, ...(one.members ?? [])].join(", ").replace(", ", ": "))} |`,
      );
    }
  }
  const rows = rowsOf(diff);
  if (rows.length > 0) {
    lines.push("", `<details><summary>${rows.length} instances</summary>`, "", "| | plan time | job | instance |", "|---|---|---|---|");
    for (const [n, row] of rows.entries()) {
      if (n >= markdownRows && row.kind !== "lost") continue;
      const name = `${row.workflow}/${row.job}${row.key ? ` (${row.key})` : ""}`;
      lines.push(`| ${row.mark} | ${clock(row.at)} | ${cell(name)} | ${cell(plain(row))} |`);
    }
    if (rows.length > markdownRows) lines.push("", `and ${rows.length - markdownRows} more`);
    lines.push("", "</details>");
  }
  return `${lines.join("\n")}\n`;
}

function plain(row: Row): string {
  switch (row.kind) {
    case "lost":
      return `DUE, NOT STARTED: WILL BE CANCELLED (${row.fate})`;
    case "due":
      return `due, not started: ${row.fate}`;
    case "added":
      return row.after ? `added; waits for ${row.after}` : "added";
    case "bound":
      return `not started: bound again: ${row.before || "nothing"} → ${row.after || "nothing"}`;
    case "relinked":
      return `re-linked: ${row.before || "nothing"} → ${row.after || "nothing"}${row.later ? " (later)" : ""}`;
    case "changed":
      return "does another thing";
    default:
      return "removed";
  }
}
