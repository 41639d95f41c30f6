import type { Schemas } from "../api/client";

type Instance = Schemas["Instance"];

/** A Took is one run of a job in the chart. */
export interface Took {
  instance: Instance;
  seconds: number;
  open: boolean; // it runs still
  counts: boolean; // it says how long the job takes: it succeeded, and nobody ran it again or held it
}

/** tookOf are the runs of a list of instances, newest first, as the chart shows them: the earliest first. */
export function tookOf(items: Instance[], now: number, most: number): Took[] {
  const list = items.flatMap((instance): Took[] => {
    if (instance.startedAt === undefined) return [];
    const open = instance.endedAt === undefined;
    if (open && instance.state !== "running") return [];
    const end = instance.endedAt === undefined ? now : Date.parse(instance.endedAt);
    const seconds = Math.max(0, (end - Date.parse(instance.startedAt)) / 1000);
    return [{ instance, seconds, open, counts: instance.state === "succeeded" && !instance.touched }];
  });
  return list.slice(0, most).reverse();
}

/** quantile is the value that a part of the values does not exceed; undefined of none. */
export function quantile(values: number[], part: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)];
}

export interface Scale {
  top: number; // seconds
  marks: number[];
}

const small = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const steps = [...small, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];
const enough = 8; // runs, for one of them to be called far beyond the others

/** scaleOf reaches a little over the longest of the runs; of one that is far beyond the others the chart shows a part only. */
export function scaleOf(list: Took[]): Scale {
  const all = list.map((one) => one.seconds);
  const longest = Math.max(...all, 0.001);
  const usual = quantile(all, 0.9) ?? 0;
  const top = all.length < enough || usual === 0 ? longest : Math.min(longest, usual * 4);
  const step = steps.find((one) => top / one <= 4) ?? Math.ceil(top / 4 / 86_400) * 86_400;
  const marks: number[] = [];
  for (let n = 0; n * step <= top * 1.001; n++) marks.push(n * step);
  return { top: top * 1.08, marks };
}
