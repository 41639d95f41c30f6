import { shapes } from "../design/state";
import type { Look } from "./model";

function look(state: string, fill: Look["fill"], rank: number): Look {
  const shape = shapes[state];
  return { colour: `--${state}`, glyph: shape?.path ?? "", filled: shape?.filled, fill, rank };
}

/** How the states of instances look: quiet what is done or to come, loud what needs a person. */
export const stateLooks: Readonly<Record<string, Look>> = {
  unplanned: { colour: "--edge-strong", glyph: "", fill: "outline", rank: 0 },
  planned: { colour: "--edge-strong", glyph: "", fill: "outline", rank: 1 },
  skipped: look("skipped", "tint", 2),
  succeeded: look("succeeded", "tint", 3),
  forced: look("forced", "tint", 4),
  cancelled: look("cancelled", "tint", 5),
  waiting: look("waiting", "hatch", 6),
  running: look("running", "solid", 7),
  lost: look("lost", "solid", 8),
  failed: look("failed", "solid", 9),
};
