import { useEffect, useState } from "react";

/** useNow is the time in whole minutes, so that what is asked by it is asked once a minute. */
export function useNow(): Date {
  const [minute, setMinute] = useState(() => Math.floor(Date.now() / 60_000));
  useEffect(() => {
    const timer = setInterval(() => setMinute(Math.floor(Date.now() / 60_000)), 5_000);
    return () => clearInterval(timer);
  }, []);
  return new Date(minute * 60_000);
}
