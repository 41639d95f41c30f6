import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { longest, workOf } from "./work";
import { launch, visit, World, yesterday } from "./world";

/** A Streaming stands before a server and answers its stream, so that a test says what comes, and cuts it. */
class Streaming {
  readonly asked: (string | undefined)[] = []; // the Last-Event-ID of each connection
  readonly forwarded: string[] = []; // what else was asked for
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

  /** rain sends so many changes a second for so many seconds. */
  async rain(each: number, seconds: number): Promise<void> {
    const begin = performance.now();
    for (let sent = 0; sent < each * seconds; ) {
      const due = Math.min(each * seconds, ((performance.now() - begin) / 1_000) * each);
      for (; sent < due; sent++) this.send(100 + sent);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
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
    this.forwarded.push(from.url ?? "");
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
let url: string; // of what stands before the server
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start(), launch()]);
  streaming = new Streaming(world);
  url = await streaming.listen();
});
afterAll(async () => {
  streaming?.close();
  await browser?.close();
  await world?.end();
});

test("a change comes by the stream, which goes on by the last id when it was cut off", async () => {
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
  const lists = () => streaming.forwarded.filter((one) => one.startsWith("/api/v1/instances?")).length;
  const before = lists();
  streaming.send(42);
  await expect.poll(lists).toBeGreaterThan(before);
  streaming.cut();
  await expect.poll(() => streaming.asked, { timeout: 10_000 }).toEqual([undefined, "42"]);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("of a thousand changes a second the page asks no more than once a second", async () => {
  for (const [path, words, list] of [
    ["/instances?q=date:yesterday", "5 instances", /^\/api\/v1\/instances\?/],
    [`/day/${yesterday}`, "5 instances", /^\/api\/v1\/days\/[-\d]+$/],
    ["/", "keeps 2 waiting", /^\/api\/v1\/status/],
  ] as const) {
    const { page, wrongs } = await visit(browser);
    await page.goto(url + path);
    await page.getByText(words).first().waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const asked = () => streaming.forwarded.filter((one) => list.test(one)).length;
    const before = asked();
    const seconds = 4;
    const begin = performance.now();
    const { main } = await workOf(browser, page, () => streaming.rain(1_000, seconds));
    const took = (performance.now() - begin) / 1_000;
    const times = asked() - before;
    console.info(
      `${path}: ${times} requests in ${took.toFixed(1)} s of 1,000 changes a second, the longest task ${Math.round(longest(main))} ms`,
    );
    expect(times).toBeGreaterThan(0);
    expect(times).toBeLessThanOrEqual(Math.ceil(took) + 1);
    expect(longest(main)).toBeLessThan(100);
    expect(wrongs).toEqual([]);
    await page.context().close();
  }
});

test("a list of many pages stands still while things change, says so, and shows the newest when it is told to", async () => {
  const { page, wrongs } = await visit(browser);
  const { items } = await world.api<{ items: object[] }>("/api/v1/instances?limit=1");
  let asked = 0;
  await page.route("**/api/v1/instances?*", (route) => {
    const begin = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
    asked++;
    const rows = Array.from({ length: 100 }, (_, n) => ({ ...items[0], id: String(begin + n + 1) }));
    return route.fulfill({ json: { items: rows, ...(begin + 100 < 1_500 ? { next: String(begin + 100) } : {}) } });
  });
  await page.goto(`${url}/instances?q=date:yesterday`);
  await page.getByText("Live", { exact: true }).waitFor();
  const list = page.getByRole("region", { name: "Instances, newest plan time first" });
  await list.locator("a").first().focus();
  await expect
    .poll(async () => {
      await page.keyboard.press("End");
      return page.getByText("1500 instances").isVisible();
    })
    .toBe(true);
  const before = asked;
  streaming.send(43);
  await page.getByRole("button", { name: "Something has changed" }).waitFor();
  streaming.send(44);
  await page.evaluate(() => dispatchEvent(new Event("visibilitychange")));
  await expect.poll(() => page.getByRole("button", { name: "Something has changed" }).isVisible()).toBe(true);
  expect(asked).toBe(before);
  await page.getByRole("button", { name: "Something has changed" }).click();
  await page.getByText("100 instances, and more").waitFor();
  expect(asked).toBe(before + 1);
  expect(wrongs).toEqual([]);
  await page.context().close();
});
