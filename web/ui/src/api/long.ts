import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";

/**
 * A list of more pages than so many is not asked for again with each change: that would be hundreds of requests a second for rows of which a person sees thirty. It
 * stands still, and says that something has changed.
 */
const most = 12;

interface Asked {
  meta?: Record<string, unknown> | undefined;
  state: { data: unknown };
}

/** isLong reports whether so many pages have been fetched that they stand still. */
export function isLong(query: Asked): boolean {
  const { data } = query.state;
  return (
    query.meta?.mayStandStill === true &&
    typeof data === "object" &&
    data !== null &&
    "pages" in data &&
    Array.isArray(data.pages) &&
    data.pages.length > most
  );
}

const isShort = (query: Asked) => !isLong(query);

/** mayStandStill are the options of a list that may become long, and says when it stands still. */
export const mayStandStill = {
  meta: { mayStandStill: true },
  refetchOnWindowFocus: isShort,
  refetchOnReconnect: isShort,
  refetchOnMount: isShort,
};

/** useStill reports whether a long list stands still while something has changed. */
export function useStill(key: QueryKey): boolean {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const subscribe = useCallback((changed: () => void) => cache.subscribe(changed), [cache]);
  return useSyncExternalStore(subscribe, () => {
    const query = cache.find({ queryKey: key, exact: true });
    return query !== undefined && isLong(query) && query.state.isInvalidated;
  });
}
