import type { components, paths } from "./schema";
import { refused, token } from "./token";

export type Schemas = components["schemas"];
export type Problem = Schemas["Problem"];

/** An ApiError is a refusal of the server, in its own words. */
export class ApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
  }
}

/** Unreachable is thrown when no answer came at all. */
export class Unreachable extends Error {}

type Answer<O> = O extends { responses: infer R }
  ? R extends { 200: { content: { "application/json": infer T } } }
    ? T
    : R extends { 201: { content: { "application/json": infer T } } }
      ? T
      : never
  : never;
type With<M extends "get" | "post"> = { [P in keyof paths]: Answer<paths[P][M]> extends never ? never : P }[keyof paths];
type Parameters<O> = O extends { parameters: infer P } ? P : never;
type Path<O> = Parameters<O> extends { path: infer P } ? { path: { [K in keyof P]: string } } : { path?: undefined };
type Query<O> = Parameters<O> extends { query?: infer Q } ? Q : never;
type Body<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;

export type GetPath = With<"get">;
export type PostPath = With<"post">;
export type Got<P extends GetPath> = Answer<paths[P]["get"]>;

export function get<P extends GetPath>(
  pattern: P,
  options: Path<paths[P]["get"]> & { query?: Query<paths[P]["get"]>; signal?: AbortSignal },
): Promise<Got<P>> {
  const target = fill(pattern, options.path) + search(options.query as QueryValues | undefined);
  return json<Got<P>>(target, { method: "GET", signal: options.signal });
}

export function post<P extends PostPath>(
  pattern: P,
  options: Path<paths[P]["post"]> & { body: Body<paths[P]["post"]>; key?: string; signal?: AbortSignal },
): Promise<Answer<paths[P]["post"]>> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (options.key) headers["Idempotency-Key"] = options.key;
  return json(fill(pattern, options.path), { method: "POST", headers, body: JSON.stringify(options.body), signal: options.signal });
}

type QueryValues = Record<string, string | number | boolean | string[] | undefined>;

/** fill puts the parameters of a path in their places. */
export function fill(pattern: string, path: Record<string, string> | undefined): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path?.[name] ?? ""));
}

export function search(query: QueryValues | undefined): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "") values.append(name, String(one));
    }
  }
  const text = values.toString();
  return text === "" ? "" : `?${text}`;
}

async function json<T>(target: string, init: RequestInit): Promise<T> {
  const response = await ask(target, init);
  return (await response.json()) as T;
}

/** ask sends a request with the token. What is not a success is thrown. */
export async function ask(target: string, init: RequestInit): Promise<Response> {
  const secret = token();
  const headers = new Headers(init.headers);
  if (secret !== "") headers.set("Authorization", `Bearer ${secret}`);
  let response: Response;
  try {
    response = await fetch(target, { ...init, headers, credentials: "omit", redirect: "error", cache: "no-store" });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new Unreachable("", { cause });
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (response.status === 401) {
    if (secret !== token()) return ask(target, init); // another has been entered meanwhile
    refused(secret, problem.code);
  }
  throw new ApiError(problem);
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null && "code" in body) return body as Problem;
  } catch {
    // A proxy between may answer with something else than the server's words.
  }
  return { type: "about:blank", title: response.statusText, status: response.status, code: "unknown" };
}

/** newKey is a key under which a request is carried out once, however often it is sent. A page without TLS has no randomUUID. */
export function newKey(): string {
  return `ui-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
