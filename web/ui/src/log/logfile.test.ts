import { expect, test } from "vitest";
import { find } from "./find";
import { type Fetcher, LogFile, part } from "./logfile";

const signal = new AbortController().signal;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A server of a log that can grow. */
function served(content: string): { fetch: Fetcher; write: (more: string) => void; asked: () => number } {
  let bytes = new TextEncoder().encode(content);
  let asked = 0;
  return {
    fetch: async (offset, limit) => {
      asked++;
      return { bytes: bytes.slice(offset, offset + limit), size: bytes.length, complete: offset + limit >= bytes.length };
    },
    write: (more) => {
      bytes = new TextEncoder().encode(new TextDecoder().decode(bytes) + more);
    },
    asked: () => asked,
  };
}

test("a line that is cut by the end of what was written is joined with what comes", async () => {
  const log = new LogFile();
  const server = served("one\nzw\u00f6");
  await log.jump(0, server.fetch, signal);
  expect(log.lines).toBe(2);
  server.write("lf\r\n\nthree\n");
  expect(await log.grow(server.fetch, signal)).toBe(11);
  const lines = Array.from({ length: log.lines }, (_, n) => text(log.line(n).bytes));
  expect(lines).toEqual(["one", "zw\u00f6lf", "", "three"]);
  expect(await log.grow(server.fetch, signal)).toBe(0);
  expect(log.complete).toBe(true);
});

test("a log of 100 MB is looked at from its end, and costs what is looked at", async () => {
  const line = `${"x".repeat(99)}\n`;
  const size = 100_000_000;
  let most = 0;
  const fetch: Fetcher = async (offset, limit) => {
    most = Math.max(most, limit);
    const length = Math.max(0, Math.min(limit, size - offset));
    const bytes = new TextEncoder().encode(line.repeat(Math.ceil(length / 100) + 1));
    return { bytes: bytes.slice(offset % 100, (offset % 100) + length), size, complete: offset + limit >= size };
  };
  const log = new LogFile();
  await log.jump(size - part, fetch, signal);
  expect(log.to).toBe(size);
  expect(log.from % 100).toBe(0);
  for (let n = 0; n < 30; n++) await log.back(fetch, signal);
  expect(log.to - log.from).toBeLessThanOrEqual((8 << 20) + part);
  expect(text(log.line(0).bytes)).toBe("x".repeat(99));
  expect(log.indexOf(log.from + 250)).toBe(2);
  expect(log.indexOf(0)).toBe(-1);
  expect(most).toBe(part);
});

test("one line that is longer than a part does not hold anything up", async () => {
  const log = new LogFile();
  const server = served(`${"y".repeat(3 * part)}\nend\n`);
  await log.jump(0, server.fetch, signal);
  while ((await log.grow(server.fetch, signal)) > 0);
  expect(text(log.line(log.lines - 1).bytes)).toBe("end");
  expect(server.asked()).toBeLessThan(8);
});

test("a search finds lines across parts, by what is seen of them", async () => {
  const server = served(`first\n${"filler\n".repeat(700_000)}\u001b[31mFatal\u001b[0m Error\nlast`);
  const shares: number[] = [];
  const hits = await find("fatal error", server.fetch, signal, (_, share) => shares.push(share));
  expect(hits).toEqual([6 + 7 * 700_000]);
  expect(shares.at(-1)).toBe(1);
  expect(await find("last", server.fetch, signal, () => undefined)).toHaveLength(1);
  expect(await find("filler", server.fetch, signal, () => undefined)).toHaveLength(1000);
});
