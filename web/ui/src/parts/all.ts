import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";

/** useAll asks for page after page of a list until all are there, or so many pages. It reports whether there is more that is left out. */
export function useAll<T>(query: UseInfiniteQueryResult<{ pages: T[] }>, most = 12): boolean {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const pages = data?.pages.length ?? 0;
  const wanted = hasNextPage && !isFetching && !isError && pages < most;
  useEffect(() => {
    if (wanted) void fetchNextPage();
  }, [wanted, fetchNextPage]);
  return hasNextPage && pages >= most;
}
