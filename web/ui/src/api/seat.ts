import type { Link } from "./live";

/** News is what the tab that follows the server tells the others: no data, only that there is something to ask for. */
export interface News {
  link: Link;
  last: string; // the id of the newest event
  polled: number; // counts the times that everything may be another, where the server has no stream
}

type Word =
  | { kind: "ask"; from: string } // who follows?
  | { kind: "here"; from: string; since: number; news: News } // I do
  | { kind: "gone"; from: string }; // I did, and do no more

/** A Channel is what a Seat needs of a BroadcastChannel. */
export interface Channel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(word: unknown): void;
  close(): void;
}

const answered = 300; // whoever follows answers within so many milliseconds, or nobody does
const beatEvery = 2_000;
const lostAfter = 6_000; // whoever was silent for so long has crashed
const tellEvery = 100;

/**
 * A browser opens six connections to a server, and a stream takes one for as long as it lasts. So of all tabs that are seen one follows the server and tells the
 * others: it has the seat. There is no lock to hold it by, as the browser has locks only for pages with TLS: who wants it asks who has it, and takes it when
 * nobody answers. Should two have it, the one who took it later gives it up.
 */
export class Seat {
  readonly #channel: Channel;
  readonly #hear: (news: News) => void;
  readonly #id: string;
  #news: News = { link: "connecting", last: "", polled: 0 };
  #mine: AbortController | undefined; // while this tab has the seat
  #since = 0;
  #take: (() => void) | undefined; // somebody waits for the seat
  #asking = false;
  #timer: ReturnType<typeof setTimeout> | undefined; // until it is taken, or until the one who has it counts as crashed
  #beat: ReturnType<typeof setInterval> | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(channel: Channel, id: string, hear: (news: News) => void) {
    this.#channel = channel;
    this.#id = id;
    this.#hear = hear;
    channel.onmessage = (event) => this.#heard(event.data as Word);
  }

  /** taken waits until this tab has the seat. The signal that it returns ends when the tab has it no more. */
  async taken(signal: AbortSignal): Promise<AbortSignal> {
    if (signal.aborted) return signal;
    await new Promise<void>((resolve) => {
      this.#take = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      this.#ask();
    });
    this.#take = undefined;
    return this.#mine?.signal ?? signal;
  }

  /** tell tells the others; it counts only while this tab has the seat. */
  tell(news: News): void {
    this.#news = news;
    if (this.#mine === undefined || this.#telling !== undefined) return;
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      this.#here();
    }, tellEvery);
  }

  /** leave gives the seat up, when this tab has it, and hears no more. */
  leave(): void {
    const had = this.#mine !== undefined;
    this.#stand();
    clearTimeout(this.#timer);
    this.#channel.onmessage = null;
    if (had) this.#say({ kind: "gone", from: this.#id });
    this.#channel.close();
  }

  #ask(): void {
    this.#asking = true;
    this.#wait(answered, () => this.#sit());
    this.#say({ kind: "ask", from: this.#id });
  }

  #sit(): void {
    this.#asking = false;
    if (this.#take === undefined) return;
    this.#mine = new AbortController();
    this.#since = Date.now();
    this.#beat = setInterval(() => this.#here(), beatEvery);
    this.#here();
    this.#take();
  }

  #stand(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#mine?.abort();
    this.#mine = undefined;
  }

  #heard(word: Word): void {
    if (word.from === this.#id) return;
    const has = this.#mine !== undefined;
    switch (word.kind) {
      case "ask":
        if (has) this.#here();
        else if (this.#asking && word.from < this.#id)
          this.#wait(4 * answered, () => this.#sit()); // that one goes first
        else if (this.#asking) this.#say({ kind: "ask", from: this.#id }); // it may not have been there when this one asked
        return;
      case "gone":
        if (!has && this.#take !== undefined) this.#ask();
        return;
      case "here":
        if (has && (this.#since < word.since || (this.#since === word.since && this.#id < word.from))) {
          this.#here();
          return;
        }
        if (has) this.#stand();
        this.#asking = false;
        this.#wait(lostAfter, () => this.#ask());
        this.#hear(word.news);
    }
  }

  #wait(milliseconds: number, what: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(what, milliseconds);
  }

  #here(): void {
    if (this.#mine !== undefined) this.#say({ kind: "here", from: this.#id, since: this.#since, news: this.#news });
  }

  #say(word: Word): void {
    this.#channel.postMessage(word);
  }
}
