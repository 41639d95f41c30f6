import { Glyph } from "../design/state";
import { known, type Translate, useT } from "../i18n/language";
import type { Backfill } from "./queries";

/** StageMark tells where a backfill stands by shape, colour and word; one that has ended, also how. */
export function StageMark({ backfill }: { backfill: Pick<Backfill, "state" | "instances"> }) {
  const t = useT();
  const { state, instances } = backfill;
  const bad = instances.failed + instances.cancelled > 0;
  const shown = state === "ended" && bad ? "endedBadly" : state;
  const key = `backfill.state.${shown}`;
  return (
    <span className={`state ${looks[shown] ?? "waiting"}`}>
      {state === "paused" ? <Pause /> : <Glyph state={looks[shown] ?? "waiting"} />}
      {known(key) ? t(key) : state}
    </span>
  );
}

const looks: Record<string, string> = {
  applying: "waiting",
  withdrawing: "cancelled",
  running: "running",
  paused: "waiting",
  cancelling: "cancelled",
  cancelled: "cancelled",
  ended: "succeeded",
  endedBadly: "failed",
};

function Pause() {
  return (
    <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M5 3v10M11 3v10" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round" />
    </svg>
  );
}

type Counts = Backfill["instances"];

/** The states in the order in which a bar shows them: what has ended well, what has not, what runs, what waits. */
export const order = ["succeeded", "forced", "skipped", "failed", "cancelled", "lost", "running", "waiting"] as const;

/** Bar shows the instances of a backfill by state, as parts of its length. Its words are beside it. */
export function Bar({ counts, total, label }: { counts: Counts; total: number; label: string }) {
  let from = 0;
  return (
    <svg className="done-bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={label}>
      {order.map((state) => {
        const width = total === 0 ? 0 : (counts[state] / total) * 1000;
        const x = from;
        from += width;
        return width === 0 ? null : <rect key={state} className={state} x={x} y={0} width={width} height={10} fill="currentColor" />;
      })}
    </svg>
  );
}

/** Written shows how much of a backfill is written, while it is being applied or withdrawn: of it nothing runs yet, so that no state of an instance is to be shown. */
export function Written({ backfill, label }: { backfill: Backfill; label: string }) {
  return <progress className="written-bar" max={backfill.total} value={backfill.written ?? 0} aria-label={label} />;
}

/** writtenWords says the same as a sentence. */
export function writtenWords({ state, written = 0, total }: Backfill, t: Translate): string {
  return t(state === "applying" ? "backfill.written" : "backfill.unwritten", { n: written, of: total });
}
