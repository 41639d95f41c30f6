import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ApiError, ask, get, newKey, post, type Schemas, search } from "../api/client";
import type { Filter } from "./planfile";

export type Backfill = Schemas["Backfill"];
export type Plan = Schemas["BackfillPlan"];
export type PlanRow = NonNullable<Plan["instances"]>[number];
export type Request = Schemas["BackfillRequest"];

/** writing says that the rows of a backfill are being written or taken away, of which no event tells how far it is. */
export const writing = (one: Pick<Backfill, "state">) => one.state === "applying" || one.state === "withdrawing";

/** How often it is asked how far that is, in milliseconds. */
const lookAgain = 1_000;

/** What the pages of backfills ask. The word "list" in a key makes the live layer ask again when anything has changed. */
export const backfillsQuery = infiniteQueryOptions({
  queryKey: ["list", "backfills"],
  queryFn: ({ signal, pageParam }) =>
    get("/api/v1/backfills", { query: { limit: 50, ...(pageParam === "" ? {} : { cursor: pageParam }) }, signal }),
  initialPageParam: "",
  getNextPageParam: (page) => page.next,
  refetchInterval: ({ state }) => state.data?.pages.some((page) => (page.items ?? []).some(writing)) === true && lookAgain,
});

export const backfillQuery = (id: string) =>
  queryOptions({
    queryKey: ["list", "backfill", id],
    queryFn: ({ signal }) => get("/api/v1/backfills/{id}", { path: { id }, signal }),
    refetchInterval: ({ state }) => state.data !== undefined && writing(state.data) && lookAgain,
  });

export const daysQuery = (id: string) =>
  queryOptions({
    queryKey: ["list", "backfill", id, "days"],
    queryFn: ({ signal }) => get("/api/v1/backfills/{id}/days", { path: { id }, signal }),
  });

/** heldQuery lists instances of a backfill that a selector chooses, at most some; that it chooses none is no problem: they have gone on meanwhile. */
export const heldQuery = (selector: string, limit: number) =>
  queryOptions({
    queryKey: ["list", "selector", selector, limit],
    queryFn: ({ signal }) =>
      get("/api/v1/instances", { query: { selector, limit }, signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.problem.status === 404) return { items: [] };
        throw error;
      }),
  });

export const aroundQuery = (jobs: string[]) =>
  queryOptions({
    queryKey: ["jobs", "around", ...jobs],
    queryFn: ({ signal }) => get("/api/v1/jobs/around", { query: { job: jobs }, signal }),
    enabled: jobs.length > 0,
    staleTime: 30_000,
  });

/** planQuery plans. A plan is what was reviewed and stays as it is: nothing but a person makes it anew, by another turn. */
export const planQuery = (request: Request, turn: number) =>
  queryOptions({
    queryKey: ["plan", JSON.stringify(request), turn],
    queryFn: ({ signal }) => send<Plan>("/api/v1/backfills/plan", "POST", request, signal),
    staleTime: "static",
    gcTime: 60_000,
    retry: false,
  });

/** How many instances of a long plan are asked for at once. */
export const partSize = 1_000;

/** planPartQuery asks for a part of the list of a long plan, of those instances that a filter leaves. The server makes the plan anew for it: the fingerprint says whether it is the same one. */
export const planPartQuery = (plan: Plan, filter: Filter, n: number) =>
  queryOptions({
    queryKey: ["plan", "part", plan.fingerprint, JSON.stringify(plan.request), filter, n],
    queryFn: async ({ signal }) => {
      const query = { skip: n * partSize, most: partSize, show: filter.show, why: filter.why, job: filter.job, find: filter.words.trim() };
      const part = await send<Plan>(`/api/v1/backfills/plan${search(query)}`, "POST", plan.request, signal);
      return { rows: part.instances ?? [], matching: part.matching ?? 0, same: part.fingerprint === plan.fingerprint };
    },
    staleTime: "static",
    gcTime: 60_000,
    retry: false,
  });

/** applyPlan sends a plan without its list: the server makes the list anew, and holds it against the fingerprint. */
export function applyPlan(plan: Plan, note: string): Promise<Backfill> {
  const { instances: _, ...head } = plan;
  return post("/api/v1/backfills", { body: { plan: head, note: note === "" ? undefined : note }, key: newKey() });
}

export type Act = "pause" | "resume" | "cancel";

export function act(id: string, what: Act, note: string, running: boolean, key: string): Promise<Backfill> {
  const options = { path: { id }, key };
  const said = note === "" ? {} : { note };
  if (what === "cancel") return post("/api/v1/backfills/{id}/cancel", { ...options, body: { ...said, ...(running ? { running } : {}) } });
  return post(what === "pause" ? "/api/v1/backfills/{id}/pause" : "/api/v1/backfills/{id}/resume", { ...options, body: said });
}

export function change(id: string, body: Schemas["BackfillChange"], key: string): Promise<Backfill> {
  return send(`/api/v1/backfills/${encodeURIComponent(id)}`, "PATCH", body, undefined, { "Idempotency-Key": key });
}

async function send<T>(
  target: string,
  method: string,
  body: unknown,
  signal: AbortSignal | undefined,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await ask(target, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal,
  });
  return (await response.json()) as T;
}
