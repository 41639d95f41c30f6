import { useCallback } from "react";
import { useSearchParams } from "wouter";

const here = () => location.pathname;

type Write = ReturnType<typeof useSearchParams>[1];

/**
 * useAddress is what the address says after the "?", and how to write it. It writes for the page that asked alone: while the next page is being loaded, the one
 * before is still there, and what it writes late (after typing, by a timer) would go into the address of the next.
 */
export function useAddress(): [URLSearchParams, Write] {
  const [search, setSearch] = useSearchParams();
  const place = here();
  const write: Write = useCallback(
    (next, options) => {
      if (here() === place) setSearch(next, options);
    },
    [place, setSearch],
  );
  return [search, write];
}
