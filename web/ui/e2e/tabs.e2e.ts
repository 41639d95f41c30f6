import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Front } from "./front";
import { launch, visit, World } from "./world";

let world: World;
let browser: Browser;
let front: Front;
let url: string;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ dev: false }), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});
beforeEach(async () => {
  front = new Front(world.url);
  url = await front.listen();
});
afterEach(() => front.close());

const list = `/instances?q=${encodeURIComponent("job:stock kind:manual date:yesterday..today")}`;

/** enter opens a page as one who has entered a token. */
async function enter(page: Page, token: string, path = list): Promise<void> {
  await page.addInitScript((secret) => sessionStorage.setItem("almanac.token", secret), token);
  await page.goto(url + path);
}

/** tab opens another tab of the same browser. */
async function tab(context: BrowserContext, token = world.token, path = list): Promise<Page> {
  const page = await context.newPage();
  await enter(page, token, path);
  return page;
}

const live = (page: Page) => page.getByText("Live", { exact: true }).waitFor();
const shows = (page: Page, n: number) => page.getByText(n === 1 ? "1 instance" : `${n} instances`, { exact: true }).waitFor();

/** hide has a page believe that nobody sees it, or that somebody does again. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    },
    hidden ? "hidden" : "visible",
  );
}

let triggered = 0;
async function trigger(): Promise<number> {
  await world.post("/api/v1/jobs/shop/stock/trigger", {});
  return ++triggered;
}

test("eight tabs of a browser have one stream, each shows what happens, and another goes on when the one that has it is closed", async () => {
  const { page, wrongs } = await visit(browser);
  const context = page.context();
  await enter(page, world.token);
  await live(page);
  const tabs = [page];
  for (let n = 1; n < 8; n++) tabs.push(await tab(context));
  await Promise.all(tabs.map(live));
  await expect.poll(() => front.streams.size).toBe(1);
  const n = await trigger();
  await Promise.all(tabs.map((one) => shows(one, n)));
  expect(front.most, "never one for each; a second only while who has it is too busy to say so").toBeLessThanOrEqual(2);

  // The first has the stream. It is closed; later the one that follows it crashes without a word.
  const before = front.times("/api/v1/stream");
  await page.close();
  await expect.poll(() => front.times("/api/v1/stream")).toBeGreaterThan(before);
  await expect.poll(() => front.streams.size).toBe(1);
  const more = await trigger();
  await Promise.all(tabs.slice(1).map((one) => shows(one, more)));
  expect(front.streams.size).toBe(1);
  expect(wrongs).toEqual([]);
  await context.close();
});

test("tabs that open at once come to one stream", async () => {
  const { page, wrongs } = await visit(browser);
  const context = page.context();
  const tabs = await Promise.all([page, ...Array.from({ length: 5 }, () => context.newPage())]);
  await Promise.all(tabs.map((one) => enter(one, world.token)));
  await Promise.all(tabs.map(live));
  await expect.poll(() => front.streams.size).toBe(1);
  const n = await trigger();
  await Promise.all(tabs.map((one) => shows(one, n)));
  expect(front.streams.size).toBe(1);
  expect(wrongs).toEqual([]);
  await context.close();
});

test("a hidden tab has no stream and asks for nothing; when it is seen again it shows what it missed", async () => {
  const { page, wrongs } = await visit(browser);
  const context = page.context();
  await enter(page, world.token);
  await live(page);
  const other = await tab(context);
  await live(other);
  await expect.poll(() => front.streams.size).toBe(1);

  // The one that has the stream is hidden: the other takes it.
  await hide(page, true);
  await expect.poll(() => front.streams.size).toBe(1);
  await shows(other, await trigger());

  // Both are hidden: nobody has it, and nobody asks.
  await hide(other, true);
  await expect.poll(() => front.streams.size).toBe(0);
  await page.waitForTimeout(1_500); // what was asked for has come
  const before = front.asked.length;
  const n = await trigger();
  await page.waitForTimeout(8_000); // longer than any timer of the page
  expect(front.asked.slice(before)).toEqual([]);

  await hide(page, false);
  await shows(page, n);
  await hide(other, false);
  await shows(other, n);
  await expect.poll(() => front.streams.size).toBe(1);
  expect(wrongs).toEqual([]);
  await context.close();
});

test("tabs with different tokens hear nothing of one another", async () => {
  const { secret: token } = await world.post<{ secret: string }>("/api/v1/tokens", { name: "onlooker", role: "viewer" });
  const { page, wrongs } = await visit(browser);
  const context = page.context();
  // What is said on any channel is kept, with the channel's name.
  await context.addInitScript(() => {
    const said: unknown[] = [];
    Object.assign(window, { said });
    const say = BroadcastChannel.prototype.postMessage;
    BroadcastChannel.prototype.postMessage = function (word) {
      said.push([this.name, word]);
      say.call(this, word);
    };
  });
  await enter(page, world.token);
  await live(page);
  const theirs = await tab(context, token);
  await live(theirs);
  await expect.poll(() => [...front.streams.values()].sort()).toEqual([world.token, token].sort());
  const n = await trigger();
  await Promise.all([page, theirs].map((one) => shows(one, n)));
  const said = (one: Page) => one.evaluate(() => (window as unknown as { said: [string, unknown][] }).said);
  const names = async (one: Page) => new Set((await said(one)).map(([name]) => name).filter((name) => name !== "almanac"));
  expect([...(await names(page))]).toEqual([`almanac.live ${world.token}`]);
  expect([...(await names(theirs))]).toEqual([`almanac.live ${token}`]);
  expect(JSON.stringify(await said(page)), "what is said names nothing that happens").not.toContain("stock");

  // One token is taken back: its tab has no stream any more and hears of nothing; the other goes on.
  const { items } = await world.api<{ items: { id: string; name: string }[] }>("/api/v1/tokens");
  const id = items.find((one) => one.name === "onlooker")?.id;
  await world.post(`/api/v1/tokens/${id}/revoke`, {});
  await theirs.getByRole("dialog", { name: "A token, please" }).waitFor();
  await expect.poll(() => [...front.streams.values()]).toEqual([world.token]);
  await shows(page, await trigger());
  expect(wrongs).toEqual([]);
  await context.close();
});
