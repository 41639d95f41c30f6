import type { QueryClient } from "@tanstack/react-query";
import { ApiError, ask, newKey } from "./client";
import { isLong } from "./long";
import { statusQuery } from "./queries";
import { type Channel, type News, Seat } from "./seat";
import { demanded, onToken, token } from "./token";

/** How the page hears of changes: by the stream, by asking again and again, or not at all. */
export type Link = "connecting" | "stream" | "polling" | "gone";

const pollEvery = 5_000;
const slowest = 10_000;
const silentFor = 45_000; // the server gives a sign of life every 15 s: whoever is silent for so long is gone

const replayed = 60_000; // what was missed in a shorter time the stream tells once more; after a longer one it is enough to know that there was something

/**
 * A Live hears of what happens on the server as long as the page is seen: by the stream, when this tab has the seat, else from the tab that has it. It tells
 * queries that what they show has changed; it holds no data itself.
 */
export class Live {
  #client: QueryClient;
  #listeners = new Set<() => void>();
  #link: Link = "connecting";
  #last = ""; // the id of the last event
  #heard = 0; // when it came
  #polled = 0;
  #failures = 0;
  #streams = true; // until the server says that it has none
  #seat: Seat | undefined;
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
    const stop = new AbortController();
    void this.#run(stop.signal);
    const end = onToken(() => {
      if (demanded() === null) this.#client.invalidateQueries();
    });
    return () => {
      end();
      stop.abort();
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (demanded() !== null || !seen()) await changes(signal);
      else await this.#attend(AbortSignal.any([signal, leaving()]));
    }
  }

  /** attend hears what happens, under one token, until the page is hidden. Tabs with another token neither tell it anything nor hear anything of it. */
  async #attend(signal: AbortSignal): Promise<void> {
    const seat = new Seat(channelOf(token()), newKey(), (news) => this.#told(news));
    this.#seat = seat;
    signal.addEventListener("abort", () => seat.leave(), { once: true });
    while (!signal.aborted) {
      const mine = await seat.taken(signal);
      if (!mine.aborted) await this.#lead(AbortSignal.any([signal, mine]));
    }
    this.#seat = undefined;
  }

  /** lead follows the server for all tabs. */
  async #lead(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#streams) {
          await this.#follow(signal);
          await pause(1_000, signal); // it was ended, not cut off: what is missed meanwhile comes by the last id
        } else await this.#poll(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.problem.status === 404) this.#streams = false;
        else if (error instanceof ApiError && error.problem.status === 422)
          this.#last = ""; // an id of another life of the server
        else if (!(error instanceof ApiError && error.problem.status === 401)) await this.#failed(signal);
      }
    }
  }

  /** follow reads the stream until it ends. */
  async #follow(signal: AbortSignal): Promise<void> {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.#last !== "" && Date.now() - this.#heard < replayed) headers["Last-Event-ID"] = this.#last;
    const silence = new AbortController();
    const alive = watch(silence);
    try {
      const response = await ask("/api/v1/stream", { headers, signal: AbortSignal.any([signal, silence.signal]) });
      if (response.body === null) return;
      this.#well("stream");
      if (this.#last === "") this.#changed(); // between what was asked and the beginning of the stream, something may have happened
      let first = this.#last !== "";
      for await (const event of events(response.body)) {
        alive.again();
        const missed = first && event.id !== "" && event.id !== this.#last;
        first = first && event.id === "";
        if (event.id !== "") this.#reached(event.id);
        if (missed || event.name === "change" || event.name === "gap") this.#changed();
      }
    } finally {
      alive.end();
    }
  }

  /** poll asks for the status; whatever is on the screen is asked for again with it. */
  async #poll(signal: AbortSignal): Promise<void> {
    await this.#client.fetchQuery({ ...statusQuery, staleTime: 0 });
    if (signal.aborted) return;
    const before = this.#link;
    this.#well("polling");
    if (before === "polling") {
      this.#polled++;
      this.#tell();
      await this.#refresh();
    }
    await pause(pollEvery, signal);
  }

  /** told takes in what the tab that has the seat says. */
  #told(news: News): void {
    if (news.link === "gone") this.#set("gone");
    else this.#well(news.link);
    const polled = news.polled !== this.#polled && news.link === "polling";
    this.#polled = news.polled;
    const other = news.last !== "" && news.last !== this.#last;
    if (news.last !== "") this.#reached(news.last);
    if (other || polled) this.#changed();
  }

  #reached(id: string): void {
    this.#last = id;
    this.#heard = Date.now();
    this.#tell();
  }

  #tell(): void {
    this.#seat?.tell({ link: this.#link, last: this.#last, polled: this.#polled });
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
    this.#tell();
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

/** channelOf is where tabs with the same token, and no others, speak with one another: only who has the token can name it. */
function channelOf(secret: string): Channel {
  if (typeof BroadcastChannel === "undefined") return { onmessage: null, postMessage: () => {}, close: () => {} };
  return new BroadcastChannel(`almanac.live ${secret}`);
}

const seen = () => document.visibilityState === "visible";

/** leaving ends when the page is hidden, or its token is another or wanted. */
function leaving(): AbortSignal {
  const leave = new AbortController();
  const before = token();
  const look = () => {
    if (seen() && demanded() === null && token() === before) return;
    end();
    document.removeEventListener("visibilitychange", look);
    leave.abort();
  };
  const end = onToken(look);
  document.addEventListener("visibilitychange", look);
  return leave.signal;
}

/** changes waits until the page is seen or hidden, or something of the token has changed. */
function changes(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      end();
      document.removeEventListener("visibilitychange", done);
      resolve();
    };
    const end = onToken(done);
    document.addEventListener("visibilitychange", done);
    signal.addEventListener("abort", done, { once: true });
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
