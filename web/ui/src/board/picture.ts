import type { OrderOf } from "../ahead/orders";
import type { Bar, Lane, LanesData } from "../lanes/model";
import { demand } from "./demand";
import { hasWords } from "./place";
import type { Day } from "./queries";
import { barOf, earlierOf, flag, type Mark, markOf, type Row, rowOf } from "./rows";

/** A Picture is a day as the lanes take it, with the way back from a bar to its instance. */
export interface Picture {
  data: LanesData;
  rows: Row[]; // of each bar
  jobs: number[]; // of each lane: the job's index in the day
  barOfRow: Int32Array; // of each row of the day: its bar, -1 when it is not shown
  counts: Record<Mark, number>; // of all that the words leave, whatever states are chosen
  workflows: string[];
  slots: { now: number; peak: number };
}

export interface Wish {
  find: string; // words; "" is all
  states: readonly string[]; // marks; none is all
  now: number;
  orderOf?: OrderOf; // what people have ordered ahead
  note: (jobs: number, failed: number, late: number) => string; // at a workflow's heading
}

/** pictureOf makes the picture of a day. Lanes of which nothing is chosen are left out; in the others what is not chosen is faded. */
export function pictureOf(day: Day, wish: Wish): Picture {
  const { now, find, states } = wish;
  const window = { from: Date.parse(day.from), to: Date.parse(day.to) };
  const jobs = day.jobs ?? [];
  const size = day.instances.id?.length ?? 0;
  const counts: Record<Mark, number> = {
    failed: 0,
    lost: 0,
    running: 0,
    waiting: 0,
    planned: 0,
    succeeded: 0,
    forced: 0,
    skipped: 0,
    cancelled: 0,
    late: 0,
  };
  const named = jobs.map((job) => find === "" || hasWords(find, `${job.workflow}/${job.job}`));
  const chosenJob = new Uint8Array(jobs.length);
  const groups = new Map<string, { jobs: Set<number>; failed: number; late: number }>();
  const rows: Row[] = [];
  const chosen: boolean[] = [];
  for (let n = 0; n < size; n++) {
    const row = rowOf(day, n, window.from);
    const { workflow = "", job = "" } = jobs[row.job] ?? {};
    if (row.state === "waiting" && (row.flags & (flag.manual | flag.backfill)) === 0) row.order = wish.orderOf?.(workflow, job, row.plan);
    if (!named[row.job]) continue;
    const mark = markOf(row, now);
    const late = (row.flags & flag.late) !== 0;
    counts[mark]++;
    if (late) counts.late++;
    const wanted = states.length === 0 || states.includes(mark) || (late && states.includes("late"));
    if (wanted) chosenJob[row.job] = 1;
    rows.push(row);
    chosen.push(wanted);
  }

  // One lane a job, by workflow and name.
  const order = jobs.map((_, n) => n).filter((n) => chosenJob[n] === 1);
  const name = (n: number) => [jobs[n]?.workflow ?? "", jobs[n]?.job ?? ""] as const;
  order.sort((a, b) => compare(name(a)[0], name(b)[0]) || compare(name(a)[1], name(b)[1]));
  const laneOf = new Int32Array(jobs.length).fill(-1);
  const lanes: Lane[] = order.map((job, lane) => {
    laneOf[job] = lane;
    return { label: name(job)[1], group: name(job)[0], soft: jobs[job]?.gone };
  });

  const bars: Bar[] = [];
  const shown: Row[] = [];
  const barOfRow = new Int32Array(size).fill(-1);
  const holding: Bar[] = [];
  let running = 0;
  const earlier = earlierOf(day, window.from);
  rows.forEach((row, k) => {
    const job = jobs[row.job];
    const lane = laneOf[row.job] ?? -1;
    const runs = earlier.get(row.n) ?? [];
    const before: Bar[] = [];
    for (const run of runs) {
      run.after = before.at(-1)?.to;
      before.push(barOf(run, Math.max(0, lane), window, 0, now));
    }
    if (runs.length > 0) {
      row.run = day.earlier?.current?.[day.earlier.row?.indexOf(row.n) ?? -1] ?? 2;
      row.after = before.at(-1)?.to;
    }
    const bar = barOf(row, Math.max(0, lane), window, (job?.takesSeconds ?? 0) * 1000, now);
    if (!job?.noSlot && row.state !== "lost") {
      // What waits takes a slot from now on, when it takes one.
      holding.push(bar.look === "waiting" ? { ...bar, from: bar.known ?? bar.from } : bar);
      if (row.state === "running") running++;
    }
    if (!job?.noSlot) holding.push(...before);
    if (lane < 0) return;
    if (!chosen[k]) for (const one of [bar, ...before]) one.faded = true;
    // In the order of the runs: those that begin at the same time are gone through by key in it.
    barOfRow[row.n] = bars.length + before.length;
    bars.push(...before, bar);
    shown.push(...runs, row);
    const group = groups.get(job?.workflow ?? "") ?? { jobs: new Set(), failed: 0, late: 0 };
    group.jobs.add(row.job);
    if (row.state === "failed" || row.state === "lost") group.failed++;
    if ((row.flags & flag.late) !== 0) group.late++;
    groups.set(job?.workflow ?? "", group);
  });
  const steps = demand(holding, window.from, window.to);
  return {
    rows: shown,
    jobs: order,
    barOfRow,
    counts,
    workflows: [...groups.keys()],
    slots: { now: running, peak: steps.reduce((most, step) => Math.max(most, step.value), 0) },
    data: {
      ...window,
      zone: day.zone,
      lanes,
      bars,
      groups: new Map([...groups].map(([workflow, group]) => [workflow, wish.note(group.jobs.size, group.failed, group.late)])),
      strip: { label: "", steps, limit: day.slots },
    },
  };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
