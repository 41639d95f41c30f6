import type { Schemas } from "../api/client";

/** What time alone opens: nobody has to do anything. */
const timely = ["time", "slot", "concurrency", "retry"];

/** needsSomebody reports whether the cause stays as it is until somebody does something: the others only take their time. */
export function needsSomebody(cause: Pick<Schemas["Cause"], "state" | "gate" | "help">): boolean {
  if (cause.help !== undefined) return true; // the server names what would help only where time does not
  const { state = "waiting", gate = "time" } = cause; // what is not planned yet has no state
  return state !== "running" && (state !== "waiting" || !timely.includes(gate));
}
