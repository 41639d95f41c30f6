import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, visit, World } from "./world";

/** A Streaming stands before a server and answers its stream, so that a test says what comes, and cuts it. */
class Streaming {
  readonly asked: (string | undefined)[] = []; // the Last-Event-ID of each connection
  #open: ServerResponse | undefined;
  #server = createServer((from, to) => this.#answer(from, to));
  #behind: World;

  constructor(behind: World) {
    this.#behind = behind;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  send(id: number): void {
    this.#open?.write(`id: ${id}\nevent: change\ndata: {"id":"${id}"}\n\n`);
  }

  cut(): void {
    this.#open?.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(from: IncomingMessage, to: ServerResponse): void {
    if (from.url?.startsWith("/api/v1/stream")) {
      this.asked.push(from.headers["last-event-id"]?.toString());
      to.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
      this.#open = to;
      return;
    }
    const forward = request(
      this.#behind.url + from.url,
      { method: from.method, headers: { ...from.headers, host: `127.0.0.1:${this.#behind.port}` } },
      (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
      },
    );
    from.pipe(forward);
  }
}

let world: World;
let browser: Browser;
let streaming: Streaming;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start(), launch()]);
  streaming = new Streaming(world);
});
afterAll(async () => {
  streaming?.close();
  await browser?.close();
  await world?.end();
});

test("a change comes by the stream, which goes on by the last id when it was cut off", async () => {
  const url = await streaming.listen();
  const { page, wrongs } = await visit(browser);
  await page.goto(`${url}/instances?q=date:yesterday`);
  await page.getByText("5 instances").waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  const id = await world.idOf("job:stock date:yesterday");
  await fetch(`${world.url}/api/v1/instances/${id}/confirm`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  await page.waitForTimeout(1_500);
  expect(await page.getByRole("link", { name: /waiting.*shop\/stock/s }).count(), "nothing is asked for without a change").toBe(1);
  streaming.send(41);
  await page.getByRole("link", { name: /succeeded.*shop\/stock/s }).waitFor({ timeout: 5_000 });
  streaming.send(42);
  await page.waitForTimeout(200);
  streaming.cut();
  await expect.poll(() => streaming.asked, { timeout: 10_000 }).toEqual([undefined, "42"]);
  expect(wrongs).toEqual([]);
  await page.context().close();
});
