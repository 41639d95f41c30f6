import { expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { operationsFor, refusalOf, upstreams } from "./operation";

type Explanation = Schemas["Explanation"];

/** waiting is an instance that waits for w/a, of which the cause is, when it is recorded, of the given id. */
function waiting(planned: boolean, cause: string | undefined): Explanation {
  const up = { workflow: "w", job: "a", name: "w/a@2026-11-20T01:00:00Z", planTime: "2026-11-20T01:00:00Z", instance: cause };
  return {
    planned,
    instance: { id: planned ? "7" : "0", state: "waiting", kind: "scheduled" },
    gates: [],
    dependencies: [{ n: 0, workflow: "w", job: "a", count: 1, satisfied: false, causes: [up] }],
  } as unknown as Explanation;
}

test("what waits can be detached from what is recorded", () => {
  const one = waiting(true, "4");
  expect(operationsFor(one)).toContain("detach");
  expect(refusalOf("detach", one)).toBeUndefined();
  expect(upstreams(one)).toEqual([{ value: "4", text: "w/a@2026-11-20T01:00:00Z" }]);
});

test("what is not written down cannot be detached, nor can anything be detached from it, and both are told", () => {
  for (const one of [waiting(false, "4"), waiting(false, undefined)]) {
    expect(operationsFor(one)).toContain("detach");
    expect(refusalOf("detach", one)).toBe("ahead.noDetach");
  }
  expect(refusalOf("detach", waiting(true, undefined))).toBe("ahead.noUpstream");
});

test("nothing else is refused of what is not written down: it is ordered ahead", () => {
  const one = waiting(false, undefined);
  expect(operationsFor(one).filter((operation) => refusalOf(operation, one) !== undefined)).toEqual(["detach"]);
});
