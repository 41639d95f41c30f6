import type { Schemas } from "../api/client";

export type JobNode = Schemas["JobNode"];
export type Way = "up" | "down";

export const nameOf = (node: { workflow: string; job: string }) => `${node.workflow}/${node.job}`;

/** takeable reports whether a job can be taken into a backfill: it has plan times. */
export const takeable = (node: JobNode) => node.manual !== true && node.disabled !== true;

/** taken lists the names that a text takes in on a way: so many steps, all, or names. */
export function taken(nodes: JobNode[], way: Way, text: string): Set<string> {
  const reach = nodes.filter((node) => (node[way] ?? 0) > 0 && takeable(node));
  if (text === "" || text === "0") return new Set();
  if (text === "all") return new Set(reach.map(nameOf));
  if (/^\d+$/.test(text)) return new Set(reach.filter((node) => (node[way] ?? 0) <= Number(text)).map(nameOf));
  const names = new Set(text.split(",").map((name) => name.trim()));
  return new Set(reach.map(nameOf).filter((name) => names.has(name)));
}

/** toggled is the text after a name was ticked or unticked: names from then on, and none when none is left. */
export function toggled(nodes: JobNode[], way: Way, text: string, name: string): string {
  const names = taken(nodes, way, text);
  if (!names.delete(name)) names.add(name);
  return [...names].sort().join(",");
}

/** strangers are the names of a text that are not on the way any more. */
export function strangers(nodes: JobNode[], way: Way, text: string): string[] {
  if (text === "" || text === "all" || /^\d+$/.test(text)) return [];
  const known = taken(nodes, way, text);
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => !known.has(name));
}

/** farthest is how many steps away the farthest job of a way is. */
export function farthest(nodes: JobNode[], way: Way): number {
  return nodes.reduce((most, node) => Math.max(most, node[way] ?? 0), 0);
}

/** A JobPattern is a typed choice of jobs: what to ask the server for, and which of the answers match. */
export interface JobPattern {
  ask: string;
  matches: (name: string) => boolean;
  many: boolean; // it has patterns: all that match may be taken at once
}

/** jobPattern reads words, or terms as selectors have them: job:dwd_*, workflow:retail; * stands for any characters, ? for one. */
export function jobPattern(typed: string): JobPattern {
  const terms = typed.trim().split(/\s+/).filter(Boolean);
  const tests: ((name: string) => boolean)[] = [];
  let many = false;
  let ask = "";
  for (const term of terms) {
    const found = /^(job|workflow):(.*)$/.exec(term);
    const globs = (found?.[2] ?? term).split(",").filter(Boolean);
    many ||= found !== null || /[*?]/.test(term);
    if (globs.length === 1) {
      const literal = (globs[0] ?? "").split(/[*?/]/).reduce((a, b) => (b.length > a.length ? b : a), "");
      if (literal.length > ask.length) ask = literal;
    }
    const list = globs.map((glob) => ({ whole: glob.includes("/"), test: pattern(glob, found !== null || /[*?]/.test(glob)) }));
    tests.push((name) => {
      const [workflow = "", job = ""] = name.split("/");
      return list.some(({ whole, test }) => {
        if (found?.[1] === "workflow") return test.test(workflow);
        if (found?.[1] === "job" || many) return test.test(whole ? name : job);
        return test.test(name);
      });
    });
  }
  return { ask, many, matches: (name) => tests.every((test) => test(name)) };
}

function pattern(glob: string, whole: boolean): RegExp {
  const body = glob.replace(/[.*+?^${}()|[\]\\]/g, (c) => (c === "*" ? "[^/]*" : c === "?" ? "[^/]" : `\\${c}`));
  return new RegExp(whole ? `^${body}$` : body, "i");
}

/** A Scope is what of a form says which jobs are in. */
export interface Scope {
  jobs: string[];
  upstream: string;
  downstream: string;
}

/** inScope lists the names of all jobs that are in. */
export function inScope(nodes: JobNode[], scope: Scope): Set<string> {
  return new Set([...scope.jobs, ...taken(nodes, "up", scope.upstream), ...taken(nodes, "down", scope.downstream)]);
}

/** picked is the scope after a set was chosen on the graph; a way of which nothing has changed stays as it was written. */
export function picked(nodes: JobNode[], scope: Scope, set: ReadonlySet<string>): Scope {
  const jobs = scope.jobs.filter((name) => set.has(name));
  const way = (way: Way, text: string): string => {
    const before = taken(nodes, way, text);
    const other = taken(nodes, way === "up" ? "down" : "up", way === "up" ? scope.downstream : scope.upstream);
    const after = nodes
      .filter((node) => (node[way] ?? 0) > 0 && takeable(node) && set.has(nameOf(node)))
      .map(nameOf)
      .filter((name) => before.has(name) || (!other.has(name) && (way === "down" || !downToo(nodes, name))));
    return after.length === before.size && after.every((name) => before.has(name)) ? text : after.sort().join(",");
  };
  return { jobs, upstream: way("up", scope.upstream), downstream: way("down", scope.downstream) };
}

/** downToo reports whether a job is on both ways: it counts as downstream then. */
const downToo = (nodes: JobNode[], name: string) => nodes.some((node) => nameOf(node) === name && (node.down ?? 0) > 0);
