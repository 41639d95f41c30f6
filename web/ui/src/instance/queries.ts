import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { get } from "../api/client";

/** Every step of an instance, page by page. */
export const stepsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["instance", id, "steps"],
    queryFn: ({ signal, pageParam }) =>
      get("/api/v1/instances/{id}/steps", {
        path: { id },
        query: { limit: 500, ...(pageParam === "" ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });

/** Every attempt of an instance, page by page. */
export const allAttemptsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["instance", id, "attempts", "all"],
    queryFn: ({ signal, pageParam }) =>
      get("/api/v1/instances/{id}/attempts", {
        path: { id },
        query: { limit: 500, ...(pageParam === "" ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });

/** A version of a job and the one before it. */
export const versionPairQuery = (workflow: string, job: string, version: string) =>
  queryOptions({
    queryKey: ["version", workflow, job, version], // a version never changes
    queryFn: ({ signal }) =>
      get("/api/v1/jobs/{workflow}/{job}/versions", { path: { workflow, job }, query: { cursor: Number(version) + 1, limit: 2 }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The version by which a job is planned now. */
export const currentVersionQuery = (workflow: string, job: string) =>
  queryOptions({
    queryKey: ["job", workflow, job, "current"],
    queryFn: ({ signal }) => get("/api/v1/jobs/{workflow}/{job}/versions", { path: { workflow, job }, query: { limit: 1 }, signal }),
  });
