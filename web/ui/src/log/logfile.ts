import { ask, search } from "../api/client";

/** The most that is kept of a log: what lies beyond is fetched again when somebody goes there. */
const mostBytes = 8 << 20;
const mostLines = 400_000;
export const part = 1 << 20; // bytes that are fetched at once

/** A Fetcher answers with the bytes of [offset, offset+limit), how long the log is, and whether that is all there will be. */
export type Fetcher = (
  offset: number,
  limit: number,
  signal: AbortSignal,
) => Promise<{ bytes: Uint8Array; size: number; complete: boolean }>;

export function fetcher(attempt: string): Fetcher {
  return async (offset, limit, signal) => {
    const response = await ask(`/api/v1/attempts/${encodeURIComponent(attempt)}/log${search({ offset, limit })}`, { signal });
    return {
      bytes: new Uint8Array(await response.arrayBuffer()),
      size: Number(response.headers.get("X-Log-Size") ?? 0),
      complete: response.headers.get("X-Log-Complete") === "true",
    };
  };
}

/** A Block is a run of bytes of the log that begins with a line; starts are where its lines begin, in it. */
interface Block {
  offset: number;
  bytes: Uint8Array;
  starts: Uint32Array;
}

/**
 * A LogFile is the part of a log that is looked at: a run of lines that grows at either end as somebody goes there, and is cut at the other when it gets too long. So a
 * log of any length costs the same.
 */
export class LogFile {
  #blocks: Block[] = [];
  #lines = 0;
  size = 0;
  complete = false;
  /** Counts the changes, for whoever draws it. */
  version = 0;

  get lines(): number {
    return this.#lines;
  }

  /** from is the offset of the first line that is here, to that behind the last one. */
  get from(): number {
    return this.#blocks[0]?.offset ?? 0;
  }

  get to(): number {
    const last = this.#blocks.at(-1);
    return last ? last.offset + last.bytes.length : 0;
  }

  /** jump forgets everything and begins with the line about an offset. */
  async jump(offset: number, fetch: Fetcher, signal: AbortSignal): Promise<void> {
    const begin = Math.max(0, offset);
    const got = await fetch(begin, part, signal);
    this.#blocks = [];
    this.#lines = 0;
    this.#note(got, begin + got.bytes.length);
    this.#add(alone(begin, begin === 0 ? got.bytes : got.bytes, begin > 0), "end");
  }

  /** grow fetches what comes behind; it answers how many bytes that were. */
  async grow(fetch: Fetcher, signal: AbortSignal): Promise<number> {
    const at = this.to;
    const got = await fetch(at, part, signal);
    this.#note(got, at + got.bytes.length);
    if (got.bytes.length === 0) return 0;
    const last = this.#blocks.at(-1);
    const tail = last === undefined ? 0 : unfinished(last);
    if (last !== undefined && tail > 0 && tail < part) {
      // The last line has no end yet: it is joined with what comes.
      const kept = last.bytes.length - tail;
      const joined = new Uint8Array(tail + got.bytes.length);
      joined.set(last.bytes.subarray(kept));
      joined.set(got.bytes, tail);
      this.#blocks.pop();
      this.#lines -= last.starts.length;
      if (kept > 0) this.#add(block(last.offset, last.bytes.slice(0, kept)), "end");
      this.#add(block(last.offset + kept, joined), "end");
    } else {
      this.#add(block(at, got.bytes), "end");
    }
    while (this.#blocks.length > 1 && (this.to - this.from > mostBytes || this.#lines > mostLines)) this.#drop(this.#blocks.shift());
    return got.bytes.length;
  }

  /** back fetches what comes before; it answers how many lines that were. */
  async back(fetch: Fetcher, signal: AbortSignal): Promise<number> {
    const end = this.from;
    if (end === 0) return 0;
    const begin = Math.max(0, end - part);
    const got = await fetch(begin, end - begin, signal);
    const before = this.#lines;
    this.#add(alone(begin, got.bytes, begin > 0), "begin");
    const added = this.#lines - before;
    while (this.#blocks.length > 1 && (this.to - this.from > mostBytes || this.#lines > mostLines)) this.#drop(this.#blocks.pop());
    this.version++;
    return added;
  }

  /** line is the n-th line that is here, as bytes without their end, and its offset in the log. */
  line(n: number): { bytes: Uint8Array; offset: number } {
    let index = n;
    for (const one of this.#blocks) {
      if (index < one.starts.length) {
        const start = one.starts[index] ?? 0;
        const next = one.starts[index + 1] ?? one.bytes.length;
        let end = next;
        if (end > start && one.bytes[end - 1] === 10) end--;
        if (end > start && one.bytes[end - 1] === 13) end--;
        return { bytes: one.bytes.subarray(start, end), offset: one.offset + start };
      }
      index -= one.starts.length;
    }
    return { bytes: new Uint8Array(), offset: this.to };
  }

  /** indexOf is the line that an offset of the log is in; -1 when it is not here. */
  indexOf(offset: number): number {
    let before = 0;
    for (const one of this.#blocks) {
      if (offset >= one.offset && offset < one.offset + one.bytes.length) {
        const within = offset - one.offset;
        let low = 0;
        let high = one.starts.length - 1;
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          if ((one.starts[middle] ?? 0) <= within) low = middle;
          else high = middle - 1;
        }
        return before + low;
      }
      before += one.starts.length;
    }
    return -1;
  }

  #note(got: { size: number; complete: boolean }, read: number): void {
    this.size = got.size;
    this.complete = got.complete && read >= got.size;
    this.version++;
  }

  #add(one: Block, where: "begin" | "end"): void {
    if (one.bytes.length === 0) return;
    if (where === "end") this.#blocks.push(one);
    else this.#blocks.unshift(one);
    this.#lines += one.starts.length;
  }

  #drop(one: Block | undefined): void {
    this.#lines -= one?.starts.length ?? 0;
  }
}

function block(offset: number, bytes: Uint8Array): Block {
  const starts: number[] = bytes.length > 0 ? [0] : [];
  for (let at = bytes.indexOf(10); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  return { offset, bytes, starts: Uint32Array.from(starts) };
}

/** alone makes a block of bytes that may begin within a line: they are cut to where the next one begins, unless there is none. */
function alone(offset: number, bytes: Uint8Array, within: boolean): Block {
  const end = within ? bytes.indexOf(10) : -1;
  return end < 0 || end + 1 === bytes.length ? block(offset, bytes) : block(offset + end + 1, bytes.subarray(end + 1));
}

function unfinished(one: Block): number {
  return one.bytes.at(-1) === 10 ? 0 : one.bytes.length - (one.starts.at(-1) ?? 0);
}
