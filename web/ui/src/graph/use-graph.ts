import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schemas } from "../api/client";
import { type Data, type Graph, merge, withMembers } from "./data";
import { graphQuery, membersQuery } from "./queries";
import { lacks, type Root } from "./roots";
import { fewNodes, mostNodes, type Place } from "./state";

/**
 * useGraph asks for everything that a place shows: the neighbourhood, what was expanded besides, and the ranges that were opened. Where the nearest instances are so many that a root
 * cause within the hops is not among them, it asks for as many as it may: most of them stand folded in their ranges, and the way from the root is what is looked for.
 */
export function useGraph(who: string, place: Place, up: number, roots: Root[]) {
  const at = place.at === "" ? undefined : place.at;
  const near = useQuery(graphQuery(who, { up, down: place.down, limit: place.limit, at }));
  const widens = place.limit < mostNodes && near.data?.more === true && lacks(near.data, roots, up);
  const wide = useQuery({ ...graphQuery(who, { up, down: place.down, limit: mostNodes, at }), enabled: widens });
  const first = widens && wide.data !== undefined ? wide : near;
  const besides = useQueries({
    queries: place.expanded.map(({ key, way }) =>
      graphQuery(key, { up: way === "up" ? 1 : 0, down: way === "down" ? 1 : 0, limit: fewNodes, at }),
    ),
    combine: together<Graph>,
  });
  const merged = useMemo(() => (first.data ? mergeUpTo(mostNodes, [first.data, ...besides.data]) : undefined), [first.data, besides]);
  const ranges = useMemo(() => {
    const waits = [...(merged?.data.waits.values() ?? [])];
    return place.open.flatMap((range) => waits.find((wait) => wait.range === range && wait.edge.count > wait.from.length) ?? []);
  }, [merged, place.open]);
  const members = useQueries({
    queries: ranges.map((wait) => ({ ...membersQuery(wait.range, wait.edge), enabled: at === undefined })),
    combine: together<Schemas["Instance"][]>,
  });
  const data = useMemo(() => {
    if (!merged) return undefined;
    let whole: Data = merged.data;
    for (const list of members.data) {
      const range = ranges.find((wait) => belongs(list[0], wait.edge))?.range;
      if (range !== undefined && whole.items.size + list.length <= mostNodes) whole = withMembers(whole, range, list);
    }
    return { ...merged, data: whole };
  }, [merged, members, ranges]);
  return {
    query: { data, error: first.error, refetch: first.refetch },
    failed: besides.failed ?? members.failed,
    loading: first.isPlaceholderData || (widens && wide.isLoading) || besides.loading || members.loading,
    most: first === wide || place.limit >= mostNodes,
  };
}

function belongs(instance: Schemas["Instance"] | undefined, edge: Schemas["GraphEdge"]): boolean {
  if (!instance || instance.workflow !== edge.workflow || instance.job !== edge.job) return false;
  const at = Date.parse(instance.planTime);
  return at >= Date.parse(edge.first ?? "") && at <= Date.parse(edge.last ?? "");
}

function together<T>(results: UseQueryResult<T>[]): { data: T[]; failed: Error | null; loading: boolean } {
  return {
    data: results.flatMap((one) => (one.data === undefined ? [] : [one.data])),
    failed: results.find((one) => one.error)?.error ?? null,
    loading: results.some((one) => one.isLoading),
  };
}

/** mergeUpTo puts answers together as long as there is room; full says that one was left out. */
function mergeUpTo(most: number, graphs: Graph[]): { data: Data; full: boolean } {
  let count = 0;
  const fit = graphs.filter((graph, n) => {
    count += graph.nodes.length;
    if (n === 0 || count <= most) return true;
    count -= graph.nodes.length;
    return false;
  });
  return { data: merge(fit), full: fit.length < graphs.length };
}
