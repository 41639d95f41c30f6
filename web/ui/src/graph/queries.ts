import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, type Schemas } from "../api/client";

export interface Extent {
  up: number;
  down: number;
  limit: number;
  at?: string;
}

const planned = (who: string) => /^\d+$/.test(who);

/** graphQuery asks for what is around an instance, which is named by its id, or as workflow/job@plan time. */
export const graphQuery = (who: string, extent: Extent) =>
  queryOptions({
    queryKey: ["instance", who, "graph", extent],
    queryFn: ({ signal }) =>
      planned(who)
        ? get("/api/v1/instances/{id}/graph", { path: { id: who }, query: { ...extent, ends: true }, signal })
        : get("/api/v1/graph", { query: { instance: who, ...extent, ends: true }, signal }),
    placeholderData: keepPreviousData,
  });

/** explainedQuery asks why an instance is where it is. As of now it is what the instance's own page asks too. */
export const explainedQuery = (who: string, at: string) =>
  queryOptions({
    queryKey: ["instance", who, "explain", ...(at === "" ? [] : [at])],
    queryFn: ({ signal }) => {
      const query = at === "" ? {} : { at };
      return planned(who)
        ? get("/api/v1/instances/{id}/explain", { path: { id: who }, query, signal })
        : get("/api/v1/explain", { query: { instance: who, ...query }, signal });
    },
  });

/** A range of more instances than this is shown in the list of instances only. */
export const mostMembers = 200;

/** membersQuery asks for the instances of a range. */
export const membersQuery = (range: string, edge: Schemas["GraphEdge"]) =>
  queryOptions({
    queryKey: ["instance", "range", range],
    queryFn: async ({ signal }) => {
      const after = new Date(Date.parse(edge.last ?? "") + 1).toISOString();
      const { workflow, job, first } = edge;
      const page = await get("/api/v1/instances", { query: { workflow, job, from: first, to: after, limit: mostMembers }, signal });
      return page.items.filter((one) => (one.key ?? "") === (edge.key ?? ""));
    },
  });
