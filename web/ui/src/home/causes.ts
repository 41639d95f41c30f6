import type { Schemas } from "../api/client";

type Instance = Schemas["Instance"];
type Cause = Schemas["Cause"];

/** A Trouble is a root cause with the instances that wait for it, as far as they were asked. */
export interface Trouble {
  cause: Cause;
  blocked: Instance[];
}

/** troubles puts explanations of waiting instances together by their root causes, the one that keeps most first. */
export function troubles(explanations: Schemas["Explanation"][]): Trouble[] {
  const found = new Map<string, Trouble>();
  for (const { instance, roots } of explanations) {
    for (const cause of roots ?? []) {
      const trouble = found.get(cause.name) ?? { cause, blocked: [] };
      if (cause.name !== instance.name) trouble.blocked.push(instance);
      found.set(cause.name, trouble);
    }
  }
  return [...found.values()].sort((a, b) => b.blocked.length - a.blocked.length || (a.cause.name < b.cause.name ? -1 : 1));
}

/** incidentOf is the open incident of a cause, if there is one. */
export function incidentOf(cause: Cause, incidents: Schemas["Incident"][]): Schemas["Incident"] | undefined {
  return cause.instance === undefined ? undefined : incidents.find((one) => one.root.id === cause.instance);
}

/** keeps is how many wait for a cause: those that were asked, or what its incident counted, whichever is more. */
export function keeps(cause: Cause, blocked: Instance[], incidents: Schemas["Incident"][]): number {
  return Math.max(blocked.length, incidentOf(cause, incidents)?.blocked ?? 0);
}
