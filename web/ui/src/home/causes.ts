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
