import { stripped } from "./ansi";
import type { Fetcher } from "./logfile";

const step = 4 << 20;
/** The most matching lines that are listed. */
export const mostHits = 1_000;

/** find goes through a whole log, a part at a time and keeping none of it, for lines that have the words in them, whatever the case of their letters. */
export async function find(
  words: string,
  fetch: Fetcher,
  signal: AbortSignal,
  told: (hits: number[], share: number) => void,
): Promise<number[]> {
  const wanted = words.toLowerCase();
  const hits: number[] = [];
  const decoder = new TextDecoder();
  let rest = new Uint8Array();
  let offset = 0; // of rest
  for (let at = 0; ; ) {
    const got = await fetch(at, step, signal);
    at += got.bytes.length;
    const bytes = new Uint8Array(rest.length + got.bytes.length);
    bytes.set(rest);
    bytes.set(got.bytes, rest.length);
    const ended = got.bytes.length === 0 || at >= got.size;
    let end = ended ? bytes.length : bytes.lastIndexOf(10) + 1;
    if (end === 0 && bytes.length > step) end = bytes.length; // a line of many megabytes is searched in pieces
    let start = 0;
    while (start < end) {
      const found = bytes.indexOf(10, start);
      const next = found < 0 || found >= end ? end : found + 1;
      if (
        stripped(decoder.decode(bytes.subarray(start, next)))
          .toLowerCase()
          .includes(wanted)
      )
        hits.push(offset + start);
      if (hits.length === mostHits) return hits;
      start = next;
    }
    rest = bytes.slice(end);
    offset += end;
    told(hits, got.size === 0 ? 1 : at / got.size);
    if (ended) return hits;
  }
}
