import type { Schemas } from "../api/client";
import type { Key } from "../i18n/en";

export type Operation = Schemas["OperationRequest"]["operation"];

const all: Record<Operation, true> = {
  rerun: true,
  force: true,
  skip: true,
  freeze: true,
  unfreeze: true,
  cancel: true,
  confirm: true,
  detach: true,
  "run-now": true,
  boost: true,
  reschedule: true,
};

export function isOperation(word: string): word is Operation {
  return Object.hasOwn(all, word);
}

/** operationsFor lists the operations that an instance in this state takes, the likeliest first. */
export function operationsFor(explanation: Schemas["Explanation"]): Operation[] {
  const { instance, gates, dependencies } = explanation;
  switch (instance.state) {
    case "waiting": {
      const list: Operation[] = [];
      if (gates.some((gate) => gate.gate === "confirm" && !gate.open)) list.push("confirm");
      list.push("run-now", instance.frozen ? "unfreeze" : "freeze", "boost");
      if (dependencies.some((wait) => !wait.satisfied && wait.count > 0)) list.push("detach");
      if (instance.kind === "scheduled") list.push("reschedule");
      return [...list, "skip", "force", "cancel"];
    }
    case "running":
      return ["cancel"];
    case "lost":
      return ["rerun", "force", "cancel"];
    case "failed":
    case "cancelled":
      return ["rerun", "force", "skip"];
    default:
      return ["rerun"];
  }
}

/** refusalOf says why an operation that is listed can only fail; undefined when it can be carried out. */
export function refusalOf(operation: Operation, explanation: Schemas["Explanation"]): Key | undefined {
  if (operation !== "detach") return undefined;
  if (!explanation.planned) return "ahead.noDetach";
  return upstreams(explanation).length === 0 ? "ahead.noUpstream" : undefined;
}

/** takenBy lists the operations that the instance takes and that can be carried out. */
export function takenBy(explanation: Schemas["Explanation"]): Operation[] {
  return operationsFor(explanation).filter((one) => refusalOf(one, explanation) === undefined);
}

/** upstreams are the instances that one can be detached from: those that its dependencies lack. */
export function upstreams(explanation: Schemas["Explanation"]): { value: string; text: string }[] {
  const list = new Map<string, string>();
  for (const wait of explanation.dependencies) {
    if (wait.satisfied) continue;
    for (const cause of wait.causes ?? []) {
      if (cause.instance !== undefined) list.set(cause.instance, cause.name);
    }
    if (wait.unsatisfied)
      list.set(wait.unsatisfied.id, list.get(wait.unsatisfied.id) ?? `${wait.workflow}/${wait.job}@${wait.unsatisfied.planTime}`);
  }
  return [...list].map(([value, text]) => ({ value, text }));
}
