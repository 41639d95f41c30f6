import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, post, type Schemas } from "../api/client";

export type Source = Schemas["WorkflowSource"];
export type Validation = Schemas["Validation"];
export type Problem = Schemas["DefinitionProblem"];
export type PlanDiff = Schemas["PlanDiff"];
export type Preview = Schemas["Preview"];

/** The source is asked for again when definitions change. What a text comes to is not: that would ask the server on every change of any instance. */
export const sourceQuery = (workflow: string) =>
  queryOptions({
    queryKey: ["job", workflow, "source"],
    queryFn: ({ signal }) => get("/api/v1/definitions/source", { query: { workflow }, signal }),
  });

export const schemaQuery = queryOptions({
  queryKey: ["schema"],
  queryFn: ({ signal }) => get("/api/v1/definitions/schema", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** filesOf are the members of a request that says: this text in the place of the workflow, and everything else as it is loaded. */
export function filesOf(source: Source, text: string) {
  return { files: [{ name: source.name, text }], folder: source.folder, keep: true };
}

export const validationQuery = (source: Source, text: string) =>
  queryOptions({
    queryKey: ["validation", source.workflow, source.name, text],
    queryFn: () => post("/api/v1/definitions/validate", { body: filesOf(source, text) }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

/** A Range is the time over which plans are compared: from now on, so many natural days. */
export interface Range {
  from: string; // "" is now; else a date, which begins in UTC
  days: number;
  dropDue: boolean;
}

export const diffQuery = (source: Source, text: string, range: Range) =>
  queryOptions({
    queryKey: ["diff", source.workflow, text, range],
    queryFn: () =>
      post("/api/v1/definitions/diff", {
        body: {
          ...filesOf(source, text),
          days: range.days,
          dropDue: range.dropDue || undefined,
          from: range.from === "" ? undefined : new Date(`${range.from}T00:00:00Z`).toISOString(),
        },
      }),
    staleTime: Number.POSITIVE_INFINITY, // a review stands still until somebody asks for another
    gcTime: 0,
    retry: false,
  });

export const previewQuery = (source: Source, text: string | null, job: string, date: string) =>
  queryOptions({
    queryKey: ["previewed", source.workflow, job, date, text],
    queryFn: () =>
      post("/api/v1/definitions/preview", {
        body: { ...(text === null ? { loaded: true } : filesOf(source, text)), workflow: source.workflow, job, date },
      }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });

/** reviewed is the request that loads exactly what a diff has shown. */
export function reviewed(source: Source, text: string, diff: PlanDiff, note: string) {
  const lost = (diff.due ?? []).filter((one) => one.fate === "dropped" || one.fate === "stranded");
  return {
    ...filesOf(source, text),
    loaded: diff.before.fingerprint,
    fingerprint: diff.after.fingerprint,
    dropDue: diff.dropDue,
    dropped: [...(diff.removed ?? []), ...lost.map(({ workflow, job, planTime, key }) => ({ workflow, job, planTime, key }))],
    note: note === "" ? undefined : note,
  };
}
