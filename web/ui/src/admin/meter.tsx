/** A Meter is how much of something is in use: a bar, and the same in words. */
export function Meter({ part, whole, words, high }: { part: number; whole: number; words: string; high?: boolean }) {
  return (
    <div className="stack-tight">
      <span className="number">{words}</span>
      <div className={high ? "meter high" : "meter"} aria-hidden="true">
        <span style={{ width: `${whole > 0 ? Math.min(100, (part / whole) * 100) : 0}%` }} />
      </div>
    </div>
  );
}
