import { useQueries } from "@tanstack/react-query";
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { type Filter, filtered, isListed } from "./planfile";
import { type Plan, type PlanRow, partSize, planPartQuery } from "./queries";

/** The rows of a plan that a filter leaves. */
export interface PlanRows {
  count: number;
  at: (n: number) => PlanRow | undefined; // undefined: it is not there yet
  see: (from: number, to: number) => void; // what is looked at: rows from the first to the last
  counted: boolean; // the count is that of the filter
  moved: boolean; // what the plan was made of has changed since: its list is not to be had any more
  error: Error | null;
  begin: unknown; // another value: other rows, which begin at their first
}

/** usePlanRows are the rows of the plan itself when it lists them; of a long plan the parts that are looked at are asked for. */
export function usePlanRows(plan: Plan, filter: Filter): PlanRows {
  const listed = isListed(plan);
  const text = JSON.stringify(filter);
  const same = useMemo(() => JSON.parse(text) as Filter, [text]); // the address makes another object each time
  const deferred = useDeferredValue(same);
  const own = useMemo(() => (listed ? filtered(plan.instances ?? [], deferred) : []), [listed, plan, deferred]);
  const asked = useSettled(same, 300);
  const [seen, setSeen] = useState<readonly [number, number]>([0, 0]);
  const settled = useSettled(seen, 80);
  const numbers = useMemo(() => (listed ? [] : [...new Set([0, ...between(settled)])]), [listed, settled]); // the first has the count
  const parts = useQueries({
    queries: numbers.map((n) => planPartQuery(plan, asked, n)),
    combine: (results) => ({
      at: new Map(results.map(({ data }, k) => [numbers[k] ?? 0, data])),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
  const [kept, setKept] = useState(plan.in + plan.out);
  const matching = parts.at.get(0)?.matching;
  useEffect(() => {
    if (matching !== undefined) setKept(matching);
  }, [matching]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows begin at their first
  useEffect(() => setSeen([0, 0]), [asked, plan]);
  const see = useCallback((from: number, to: number) => {
    const next: [number, number] = [Math.floor(from / partSize), Math.floor(to / partSize)];
    setSeen((now) => (now[0] === next[0] && now[1] === next[1] ? now : next));
  }, []);
  if (listed) return { count: own.length, at: (n) => own[n], see, counted: true, moved: false, error: null, begin: own };
  return {
    count: matching ?? kept,
    at: (n) => parts.at.get(Math.floor(n / partSize))?.rows[n % partSize],
    see,
    counted: matching !== undefined && asked === same,
    moved: [...parts.at.values()].some((part) => part?.same === false),
    error: parts.error,
    begin: asked,
  };
}

function between([from, to]: readonly [number, number]): number[] {
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
}

/** useSettled is a value once it has not changed for a while: each is work for the server. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
