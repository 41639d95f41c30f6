import type { Schemas } from "../api/client";
import { order } from "./mark";

type Counts = Schemas["InstanceCounts"];

/** A Column is one day of a backfill, or some that follow one another where there are more days than columns. */
export interface Column {
  from: string;
  to: string;
  counts: Counts;
  total: number;
  worst: keyof Counts; // what a person looks for first
}

const worseFirst = ["failed", "lost", "cancelled", "running", "waiting", "skipped", "forced", "succeeded"] as const;

/** columnsOf puts the days of a backfill into no more columns than asked for, each of the same number of days. */
export function columnsOf(days: Schemas["BackfillDay"][], most: number): Column[] {
  const each = Math.max(1, Math.ceil(days.length / most));
  const columns: Column[] = [];
  for (let n = 0; n < days.length; n += each) {
    const some = days.slice(n, n + each);
    const counts: Counts = { waiting: 0, running: 0, lost: 0, succeeded: 0, forced: 0, failed: 0, skipped: 0, cancelled: 0 };
    let total = 0;
    for (const day of some) {
      for (const state of order) {
        counts[state] += day.instances[state];
        total += day.instances[state];
      }
    }
    columns.push({
      from: some[0]?.day ?? "",
      to: some.at(-1)?.day ?? "",
      counts,
      total,
      worst: worseFirst.find((state) => counts[state] > 0) ?? "succeeded",
    });
  }
  return columns;
}

/** frontOf is the day whose turn it is: the first in the order of the backfill of which something waits; "" when nothing does. */
export function frontOf(days: Schemas["BackfillDay"][], descending: boolean): string {
  const waits = days.filter((day) => day.instances.waiting > 0);
  return (descending ? waits.at(-1) : waits[0])?.day ?? "";
}
