import type { QueryClient } from "@tanstack/react-query";
import { ApiError, ask } from "./client";
import { isLong } from "./long";
import { statusQuery } from "./queries";
import { demanded, onToken } from "./token";

/** How the page hears of changes: by the stream, by asking again and again, or not at all. */
export type Link = "connecting" | "stream" | "polling" | "gone";

const pollEvery = 5_000;
const slowest = 10_000;
const silentFor = 45_000; // the server gives a sign of life every 15 s: whoever is silent for so long is gone

/** A Live follows the server as long as the page is open. It tells queries that what they show has changed; it holds no data itself. */
export class Live {
  #client: QueryClient;
  #listeners = new Set<() => void>();
  #link: Link = "connecting";
  #last = ""; // the id of the last event
  #failures = 0;
  #stop = new AbortController();
  #dirty = false;
  #refreshing = false;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  get link(): Link {
    return this.#link;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): () => void {
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
    const end = onToken(() => {
      if (demanded() === null) this.#client.invalidateQueries();
    });
    return () => {
      end();
      this.#stop.abort();
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    let streams = true; // until the server says that it has none
    while (!signal.aborted) {
      if (demanded() !== null) {
        await tokenGiven(signal);
        continue;
      }
      try {
        if (streams) {
          await this.#follow(signal);
          await pause(1_000, signal); // it was ended, not cut off: what is missed meanwhile comes by the last id
        } else await this.#poll(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.problem.status === 404) streams = false;
        else if (error instanceof ApiError && error.problem.status === 422)
          this.#last = ""; // an id of another life of the server
        else if (!(error instanceof ApiError && error.problem.status === 401)) await this.#failed(signal);
      }
    }
  }

  /** follow reads the stream until it ends. */
  async #follow(signal: AbortSignal): Promise<void> {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.#last !== "") headers["Last-Event-ID"] = this.#last;
    const silence = new AbortController();
    const alive = watch(silence);
    try {
      const response = await ask("/api/v1/stream", { headers, signal: AbortSignal.any([signal, silence.signal]) });
      if (response.body === null) return;
      this.#well("stream");
      if (this.#last === "") this.#changed(); // between what was asked and the beginning of the stream, something may have happened
      for await (const event of events(response.body)) {
        alive.again();
        if (event.id !== "") this.#last = event.id;
        if (event.name === "change" || event.name === "gap") this.#changed();
      }
    } finally {
      alive.end();
    }
  }

  /** poll asks for the status; whatever is on the screen is asked for again with it. */
  async #poll(signal: AbortSignal): Promise<void> {
    await this.#client.fetchQuery({ ...statusQuery, staleTime: 0 });
    const before = this.#link;
    this.#well("polling");
    if (before === "polling") await this.#refresh();
    await pause(pollEvery, signal);
  }

  #well(link: Link): void {
    const back = this.#link === "gone";
    this.#failures = 0;
    this.#set(link);
    if (back) this.#client.invalidateQueries();
  }

  async #failed(signal: AbortSignal): Promise<void> {
    this.#failures++;
    if (this.#failures > 1) this.#set("gone");
    await pause(Math.min(slowest, 500 * 2 ** this.#failures), signal);
  }

  #set(link: Link): void {
    if (this.#link === link) return;
    this.#link = link;
    for (const listener of this.#listeners) listener();
  }

  /** changed refreshes what is shown; changes that come while that is under way, and for a second after, are one more time together. */
  #changed(): void {
    if (this.#refreshing) {
      this.#dirty = true;
      return;
    }
    this.#refreshing = true;
    void this.#refresh().finally(() =>
      setTimeout(() => {
        this.#refreshing = false;
        if (!this.#dirty) return;
        this.#dirty = false;
        this.#changed();
      }, 1_000),
    );
  }

  async #refresh(): Promise<void> {
    const words = ["status", "list", "instance", "job"];
    for (const word of words) void this.#client.invalidateQueries({ queryKey: [word], predicate: isLong, refetchType: "none" });
    if (document.visibilityState === "hidden") return; // when it is looked at again, what is on it is asked for again
    await Promise.all(words.map((word) => this.#client.invalidateQueries({ queryKey: [word], predicate: (query) => !isLong(query) })));
  }
}

/** watch aborts a connection that has been silent for too long. */
function watch(silence: AbortController): { again: () => void; end: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => clearTimeout(timer);
  const again = () => {
    end();
    timer = setTimeout(() => silence.abort(), silentFor);
  };
  again();
  return { again, end };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function tokenGiven(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = onToken(() => {
      if (demanded() !== null) return;
      end();
      resolve();
    });
    signal.addEventListener("abort", () => {
      end();
      resolve();
    });
  });
}

export interface ServerEvent {
  id: string;
  name: string;
  data: string;
}

/** events reads a stream of server-sent events as the standard has them: fields by lines, an empty line ends an event. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event: ServerEvent = { id: "", name: "", data: "" };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (event.id !== "" || event.name !== "" || event.data !== "") yield event;
        event = { id: "", name: "", data: "" };
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "id") event.id = text;
      else if (field === "event") event.name = text;
      else if (field === "data") event.data += (event.data === "" ? "" : "\n") + text;
    }
  }
}
