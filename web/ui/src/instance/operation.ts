import type { Schemas } from "../api/client";

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
