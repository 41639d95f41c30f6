import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "../api/client";

/** What Home, Admin and Incidents ask. The first word of a key says what a change touches, as in api/queries.ts; "who" and "audit" no change does. */
export const whoQuery = queryOptions({
  queryKey: ["who"],
  queryFn: ({ signal }) => get("/api/v1/whoami", { signal }),
  staleTime: 60_000,
});

export const deadlinesQuery = queryOptions({
  queryKey: ["list", "deadlines"],
  queryFn: ({ signal }) => get("/api/v1/deadlines", { query: { limit: 10 }, signal }),
  refetchInterval: 60_000, // time passes without a change
});

export const changesQuery = (limit: number) =>
  queryOptions({
    queryKey: ["list", "changes", limit],
    queryFn: ({ signal }) => get("/api/v1/changes", { query: { limit }, signal }),
  });

export const concernsQuery = queryOptions({
  queryKey: ["list", "concerns"],
  queryFn: ({ signal }) => get("/api/v1/concerns", { signal }),
});

export const incidentsQuery = (state: "open" | "all") =>
  infiniteQueryOptions({
    queryKey: ["list", "incidents", state],
    queryFn: ({ signal, pageParam }) =>
      get("/api/v1/incidents", { query: { state, limit: 200, ...(pageParam === "" ? {} : { cursor: Number(pageParam) }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ["instance", "incident", id],
    queryFn: ({ signal }) => get("/api/v1/incidents/{id}", { path: { id }, signal }),
  });

export const tokensQuery = infiniteQueryOptions({
  queryKey: ["list", "tokens"],
  queryFn: ({ signal, pageParam }) => get("/api/v1/tokens", { query: { limit: 500, cursor: pageParam }, signal }),
  initialPageParam: 0,
  getNextPageParam: (page) => (page.next === undefined ? undefined : Number(page.next)),
});

export interface AuditFilter {
  actor: string;
  action: string;
  from: string; // a day as the address has it, in the browser's zone; "" is none
  to: string; // the last day, included
}

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", filter],
    queryFn: ({ signal, pageParam }) => {
      const query: { actor?: string; action?: string[]; from?: string; to?: string; cursor?: number; limit: number } = { limit: 200 };
      if (filter.actor !== "") query.actor = filter.actor;
      if (filter.action !== "") query.action = [filter.action];
      if (filter.from !== "") query.from = dayStart(filter.from, 0);
      if (filter.to !== "") query.to = dayStart(filter.to, 1);
      if (pageParam !== "") query.cursor = Number(pageParam);
      return get("/api/v1/audit", { query, signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

/** dayStart is the beginning of a day such as 2026-11-21, so many days later, in the browser's zone. */
function dayStart(day: string, later: number): string {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year ?? 1970, (month ?? 1) - 1, (date ?? 1) + later).toISOString();
}

export const workersQuery = queryOptions({
  queryKey: ["status", "workers"],
  queryFn: ({ signal }) => get("/api/v1/workers", { signal }),
});

export const healthQuery = queryOptions({
  queryKey: ["status", "health"],
  queryFn: ({ signal }) => get("/api/v1/health", { signal }),
  refetchInterval: 5_000,
});

export const sinksQuery = queryOptions({
  queryKey: ["status", "sinks"],
  queryFn: ({ signal }) => get("/api/v1/sinks", { signal }),
});
