import { useEffect, useMemo, useState } from "react";

/** useNow is the server's now in milliseconds: what it said last, and what has passed since. It ticks each second while something runs. */
export function useNow(said: string, ticks: boolean): number {
  const ahead = useMemo(() => Date.parse(said) - Date.now(), [said]);
  const [now, setNow] = useState(() => Date.parse(said));
  useEffect(() => {
    setNow(Date.now() + ahead);
    if (!ticks) return undefined;
    const timer = setInterval(() => setNow(Date.now() + ahead), 1000);
    return () => clearInterval(timer);
  }, [ahead, ticks]);
  return now;
}
