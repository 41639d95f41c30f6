import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { type Ask, type Beside, unchanged } from "./ask";
import { type Comparison, compare } from "./compare";
import type { Foresight } from "./foresight";
import { foresightQuery, type Played } from "./queries";

/** A backfill beside the day; each that is chosen has a number of its own, by which what was played with it is known. */
export type Chosen = Beside & { id: number };

/** What is known of the day that is asked for. */
export interface Days {
  played: Played | undefined; // the last that was played, also while another is on its way or cannot be played
  usual: Foresight | undefined; // the same day without the changes; undefined without changes, and as long as it is not there
  comparison: Comparison | undefined;
  changed: boolean; // something is asked for that the usual day has not
  playing: boolean;
  error: Error | null; // why what is asked for cannot be played
  again: () => void;
}

/** useDays has what is asked for played, a moment after the last change of it, and the usual day to hold it against. */
export function useDays(ask: Ask, beside: Chosen | undefined): Days {
  const settled = useSettled(ask, 350);
  const base = useMemo(() => unchanged(settled), [settled]);
  const usual = useQuery(foresightQuery(base, undefined));
  const changed = beside !== undefined || foresightQuery(settled, undefined).queryKey[1] !== foresightQuery(base, undefined).queryKey[1];
  // What cannot be played at all leaves nothing to hold the change against: it is played by itself.
  const current = useQuery({
    ...foresightQuery(settled, beside, changed ? usual.data : undefined),
    enabled: !changed || usual.data !== undefined || usual.error !== null,
  });
  const [played, setPlayed] = useState<Played>();
  // What cannot be played at all leaves the usual day to look at.
  const shown = current.data ?? (current.error && !played ? usual.data : undefined);
  if (shown && shown !== played) setPlayed(shown);
  const before = changed && !usual.isPlaceholderData ? usual.data?.foresight : undefined;
  // To hold two large days against each other, and to draw them, takes a while: it is done between what a person does.
  const newest = useMemo(() => ({ played, before }), [played, before]);
  const held = useDeferredValue<{ played?: Played; before?: Foresight }>(newest, {});
  const after = held.played?.foresight;
  const comparison = useMemo(
    () => (held.before && after && held.before !== after ? compare(held.before, after) : undefined),
    [held.before, after],
  );
  return {
    played: held.played,
    usual: comparison && held.before,
    comparison,
    changed,
    playing: current.isFetching || usual.isFetching || settled !== ask || held !== newest,
    error: current.isFetching ? null : current.error,
    again: () => {
      void usual.refetch(); // what is changed follows it, by its number
      if (changed && usual.data === undefined) void current.refetch();
    },
  };
}

/** useSettled is a value that has not changed for so many milliseconds. */
function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
