import { known, useT } from "../i18n/language";

/** The shape of each state, so that none is told by colour alone: drawn in a square of 16, as outlines but for what has ended badly or well. */
export const shapes: Record<string, { path: string; filled?: boolean }> = {
  waiting: { path: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM8 4.6V8l2.4 1.6" },
  running: { path: "M4 2.4 13.2 8 4 13.6z", filled: true },
  lost: { path: "M8 1.4 14.6 8 8 14.6 1.4 8zM6.3 6.6C6.5 4.6 9.8 4.9 9.6 6.8 9.5 8 8 7.9 8 9.2M8 11v.3" },
  succeeded: { path: "M2.2 8.6 6.2 12.6 13.8 3.8" },
  forced: { path: "M2 2h12v12H2zM4.8 8.2 7.2 10.6 11.4 5.6" },
  failed: { path: "M5 1.4h6L14.6 5v6L11 14.6H5L1.4 11V5zM5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8" },
  timeout: { path: "M4 1.8h8M4 14.2h8M5 1.8c0 4 6 4.6 6 6.2s-6 2.2-6 6.2M11 1.8c0 4-6 4.6-6 6.2s6 2.2 6 6.2" },
  skipped: { path: "M2.4 3.4 7 8l-4.6 4.6M8.4 3.4 13 8l-4.6 4.6" },
  cancelled: { path: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM3.8 12.2l8.4-8.4" },
  unplanned: { path: "M3 8h.3M8 8h.3M13 8h.3" },
};

export function Glyph({ state }: { state: string }) {
  const shape = shapes[state] ?? shapes.unplanned;
  return (
    <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={shape?.path}
        fill={shape?.filled ? "currentColor" : "none"}
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** StateMark tells a state by glyph, colour and word; of a waiting instance also the gate that holds it. */
export function StateMark({ state, gate }: { state: string | undefined; gate?: string }) {
  const t = useT();
  const shown = state ?? "unplanned";
  const key = `state.${shown}`;
  return (
    <span className={`state ${shown}`}>
      <Glyph state={shown} />
      {known(key) ? t(key) : shown}
      {gate !== undefined && <span className="soft small">{gateWord(gate, t)}</span>}
    </span>
  );
}

export function gateWord(gate: string, t: ReturnType<typeof useT>): string {
  const key = `gate.${gate}`;
  return known(key) ? t(key) : gate;
}
