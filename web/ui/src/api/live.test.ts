import { expect, test } from "vitest";
import { events, type ServerEvent } from "./live";

async function read(chunks: string[]): Promise<ServerEvent[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
  const list: ServerEvent[] = [];
  for await (const event of events(body)) list.push(event);
  return list;
}

const whole = 'id: 7\nevent: change\ndata: {"a":1}\n\n: a comment\n\nid: 8\n\nevent: change\r\ndata: one\r\ndata:two\r\n\r\n';
const wanted = [
  { id: "7", name: "change", data: '{"a":1}' },
  { id: "8", name: "", data: "" },
  { id: "", name: "change", data: "one\ntwo" },
];

test("events are read as the standard has them, wherever the stream is cut", async () => {
  expect(await read([whole])).toEqual(wanted);
  for (let at = 1; at < whole.length; at++) expect(await read([whole.slice(0, at), whole.slice(at)]), `cut at ${at}`).toEqual(wanted);
  expect(await read([...whole])).toEqual(wanted);
});

test("an event that the stream ends within does not count", async () => {
  expect(await read(["id: 9\nevent: change\n"])).toEqual([]);
});
