import type { Schemas } from "../api/client";
import { needsSomebody } from "../instance/needs";
import { type Graph, instant, keyOf } from "./data";
import type { Rooted } from "./draw";

type Explanation = Schemas["Explanation"];
type Cause = Schemas["Cause"];

/** A Root is a root cause, and how many hops up it is. */
export interface Root {
  key: string; // of its item
  hops: number;
  cause: Cause;
}

const causeKey = (cause: Cause) => cause.instance ?? `${cause.workflow}/${cause.job}@${instant(cause.planTime)}`;

/** rootsOf finds the root causes of an explanation in its tree, the nearest first. */
export function rootsOf(explanation: Explanation): Root[] {
  const hops = new Map<string, number>();
  let level = explanation.dependencies.flatMap((wait) => wait.causes ?? []);
  for (let n = 1; level.length > 0 && n < 100; n++) {
    for (const cause of level) if (!hops.has(causeKey(cause))) hops.set(causeKey(cause), n);
    level = level.flatMap((cause) => (cause.dependencies ?? []).flatMap((wait) => wait.causes ?? []));
  }
  const roots = explanation.roots.map((cause) => ({ key: causeKey(cause), hops: hops.get(causeKey(cause)) ?? 0, cause }));
  return roots.sort((a, b) => a.hops - b.hops);
}

/** rootedOf says of each root cause whether it needs somebody. */
export function rootedOf(roots: Root[]): Map<string, Rooted> {
  return new Map(roots.map((root) => [root.key, needsSomebody(root.cause) ? "urgent" : "root"]));
}

/** hopsTo is how many hops up are shown at first: two, or as many as lead to the root causes that are near. */
export function hopsTo(roots: Root[]): number {
  const near = roots.filter((root) => root.hops <= 6).map((root) => root.hops);
  return Math.max(2, ...near, near.length > 0 ? 0 : Math.min(10, roots[0]?.hops ?? 0));
}

/** lacks reports whether a root cause within so many hops up is not in a graph. */
export function lacks(graph: Graph, roots: Root[], up: number): boolean {
  const shown = new Set(graph.nodes.map((node) => keyOf(node.planned, node.instance)));
  return roots.some((root) => root.hops > 0 && root.hops <= up && !shown.has(root.key));
}

/** split takes the nearest root of each job, so many jobs, and the others: many instances of one job are seldom more than one cause. */
export function split(roots: Root[], most: number): { first: Root[]; others: Root[] } {
  const jobs = new Set<string>();
  const first = roots.filter(({ cause }) => {
    const job = `${cause.workflow}/${cause.job}`;
    if (jobs.has(job) || jobs.size === most) return false;
    jobs.add(job);
    return true;
  });
  return { first, others: roots.filter((root) => !first.includes(root)) };
}
