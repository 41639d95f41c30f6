import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import { mayStandStill } from "./long";

/**
 * What the pages ask. The first word of a key says what a change touches: "status" and "list" any change, "instance" those of the instance and, as what it
 * waits for may be another, any.
 */
export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => get("/api/v1/status", { signal }),
});

export const instancesQuery = (selector: string) =>
  infiniteQueryOptions({
    queryKey: ["list", "selector", selector],
    queryFn: ({ signal, pageParam }) =>
      get("/api/v1/instances", { query: { selector, limit: 500, ...(pageParam === "" ? {} : { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    ...mayStandStill,
  });

export type State = "waiting" | "running" | "lost" | "succeeded" | "forced" | "failed" | "skipped" | "cancelled";

export const recentQuery = (filter: { state?: State[]; workflow?: string; job?: string; from?: string; to?: string }, limit: number) =>
  queryOptions({
    queryKey: ["list", "filter", filter, limit],
    queryFn: ({ signal }) => get("/api/v1/instances", { query: { ...filter, limit }, signal }),
    placeholderData: keepPreviousData,
  });

export const explainQuery = (id: string) =>
  queryOptions({
    queryKey: ["instance", id, "explain"],
    queryFn: ({ signal }) => get("/api/v1/instances/{id}/explain", { path: { id }, signal }),
  });

export const explainByNameQuery = (name: string) =>
  queryOptions({
    queryKey: ["instance", name, "explain"],
    queryFn: ({ signal }) => get("/api/v1/explain", { query: { instance: name }, signal }),
  });

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ["instance", id, "attempts"],
    queryFn: ({ signal }) => get("/api/v1/instances/{id}/attempts", { path: { id }, signal }),
  });

export const eventsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["instance", id, "events"],
    queryFn: ({ signal, pageParam }) =>
      get("/api/v1/instances/{id}/events", { path: { id }, query: { after: pageParam, limit: 100 }, signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => (page.next === undefined ? undefined : Number(page.next)),
  });

/** jobsQuery pages through the jobs; with due, also when each is due. */
export const jobsQuery = (words: string, due = false) =>
  infiniteQueryOptions({
    queryKey: ["jobs", words, due],
    queryFn: ({ signal, pageParam }) =>
      get("/api/v1/jobs", {
        query: { limit: due ? 100 : 500, due, ...(words === "" ? {} : { q: words }), ...(pageParam === "" ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

export const jobQuery = (workflow: string, job: string) =>
  queryOptions({
    queryKey: ["job", workflow, job],
    queryFn: ({ signal }) => get("/api/v1/jobs/{workflow}/{job}", { path: { workflow, job }, signal }),
  });

export const versionsQuery = (workflow: string, job: string) =>
  queryOptions({
    queryKey: ["job", workflow, job, "versions"],
    queryFn: ({ signal }) => get("/api/v1/jobs/{workflow}/{job}/versions", { path: { workflow, job }, query: { limit: 20 }, signal }),
  });
