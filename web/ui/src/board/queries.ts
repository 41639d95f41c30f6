import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { ApiError, ask, fill, get, type Schemas, search } from "../api/client";

export type Day = Schemas["Day"];
export type DayEdges = Schemas["DayEdges"];

/** What was answered last, by its address: an answer that has not changed is not sent again. */
const kept = new Map<string, { tag: string; data: unknown }>();
const mostKept = 6;

async function askOnce<T>(target: string, signal: AbortSignal): Promise<T> {
  const before = kept.get(target);
  const headers: Record<string, string> = before ? { "If-None-Match": before.tag } : {};
  try {
    const response = await ask(target, { method: "GET", headers, signal });
    const data = (await response.json()) as T;
    kept.delete(target);
    kept.set(target, { tag: response.headers.get("ETag") ?? "", data });
    for (const old of [...kept.keys()].slice(0, -mostKept)) kept.delete(old);
    return data;
  } catch (error) {
    if (before && error instanceof ApiError && error.problem.status === 304) return before.data as T;
    throw error;
  }
}

export interface DayQuestion {
  date: string; // today, or a date
  zone: string; // "" is the server's choice
  selector: string; // "" is all
}

const target = (pattern: string, { date, zone, selector }: DayQuestion) => fill(pattern, { date }) + search({ zone, selector });

/** What has not changed is the same value: a picture of it need not be made anew. */
export const dayQuery = (question: DayQuestion) =>
  queryOptions({
    queryKey: ["list", "day", question],
    queryFn: ({ signal }) => askOnce<Day>(target("/api/v1/days/{date}", question), signal),
    placeholderData: keepPreviousData,
    structuralSharing: false,
  });

/** The edges are asked for again when the day says that they are others: the states of what they join do not touch them. */
export const edgesQuery = (question: DayQuestion, waits: string) =>
  queryOptions({
    queryKey: ["edges", question, waits],
    queryFn: ({ signal }) => askOnce<DayEdges>(target("/api/v1/days/{date}/edges", question), signal),
    structuralSharing: false,
    staleTime: 60_000,
  });

export const oneQuery = (id: string) =>
  queryOptions({
    queryKey: ["instance", id, "row"],
    queryFn: ({ signal }) => get("/api/v1/instances/{id}", { path: { id }, signal }),
  });
