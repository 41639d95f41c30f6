import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Front } from "./front";
import { launch, visit, World } from "./world";

let world: World;
let browser: Browser;
let front: Front;
let url: string;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start(), launch()]);
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

const isChunk = (path: string) => /^\/assets\/jobs-[\w-]+\.js$/.test(path);
const documents = () => front.asked.filter(({ path }) => path.startsWith("/jobs")).length;

test("after an upgrade, a page whose code the server has no more is loaded anew by itself, once", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(url);
  await page.getByText("keeps 2 waiting").waitFor();
  // Another build: every file has another name, in the document and wherever one names another; the old names are gone.
  front.edit = (_, body) => body.replace(/([\w-]+)-([\w-]{8})\.(js|css)\b/g, "$1-$2-b.$3");
  front.answer = (from, to) => {
    const path = from.url ?? "";
    if (!path.startsWith("/assets/")) return false;
    if (path.includes("-b.")) from.url = path.replace("-b.", ".");
    else to.writeHead(404, { "Content-Type": "application/problem+json" }).end("{}");
    return !path.includes("-b.");
  };
  await page.getByRole("navigation").getByRole("link", { name: "Jobs" }).click();
  await page
    .getByRole("link", { name: /shop\/orders/ })
    .first()
    .waitFor();
  expect(new URL(page.url()).pathname).toBe("/jobs");
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("code that is missing in the server's own build does not have the page load for ever, and it says so", async () => {
  const { page } = await visit(browser);
  await page.goto(url);
  await page.getByText("keeps 2 waiting").waitFor();
  front.answer = (from, to) => {
    if (!isChunk(from.url ?? "")) return false;
    to.writeHead(404).end();
    return true;
  };
  await page.getByRole("navigation").getByRole("link", { name: "Jobs" }).click();
  await page.getByText("that did not help").waitFor();
  const before = documents();
  await page.waitForTimeout(4_000);
  expect(documents()).toBe(before);
  front.answer = () => false;
  await page.getByRole("button", { name: "Load the page again" }).click();
  await page
    .getByRole("link", { name: /shop\/orders/ })
    .first()
    .waitFor();
  await page.context().close();
});

test("a server that does not answer is waited for", async () => {
  const { page } = await visit(browser);
  await page.goto(url);
  await page.getByText("keeps 2 waiting").waitFor();
  front.answer = (_, to) => {
    to.destroy();
    return true;
  };
  await page.getByRole("navigation").getByRole("link", { name: "Jobs" }).click();
  await page.getByText("The page is loaded again when it does.").waitFor();
  front.answer = () => false;
  await page
    .getByRole("link", { name: /shop\/orders/ })
    .first()
    .waitFor();
  await page.context().close();
});

test.each(["not there", "cut off"])("a first script that is %s is asked for again by itself", async (how) => {
  const { page, wrongs } = await visit(browser);
  let refused = 0;
  front.answer = (from, to) => {
    if (!/^\/assets\/index-[\w-]+\.js$/.test(from.url ?? "") || refused >= 2) return false;
    refused++;
    if (how === "not there") to.writeHead(404).end();
    else to.destroy();
    return true;
  };
  await page.goto(url);
  await page.getByText("keeps 2 waiting").waitFor({ timeout: 20_000 });
  expect(refused).toBe(2);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a first script of an older build is that of the new one as soon as the server has it; one that never comes is not asked for for ever", async () => {
  const { page } = await visit(browser);
  front.answer = (from, to) => {
    if (!(from.url ?? "").startsWith("/assets/")) return false;
    to.writeHead(404).end();
    return true;
  };
  await page.goto(url);
  await page.getByText("This page loads itself again when it does.").waitFor({ timeout: 20_000 });
  const loads = () => front.asked.filter(({ path }) => path.startsWith("/assets/index-") && path.endsWith(".js")).length;
  const before = loads();
  await page.waitForTimeout(4_000);
  expect(loads()).toBe(before);
  // The upgrade ends: the document names other files.
  front.edit = (_, body) => body.replace(/([\w-]+)-([\w-]{8})\.(js|css)\b/g, "$1-$2-b.$3");
  front.answer = (from) => {
    if ((from.url ?? "").includes("-b.")) from.url = (from.url ?? "").replace("-b.", ".");
    return false;
  };
  await page.getByText("keeps 2 waiting").waitFor({ timeout: 20_000 });
  await page.context().close();
});

test("what somebody has typed is not lost without being asked", async () => {
  const { page } = await visit(browser);
  await page.goto(`${url}/jobs/shop/talker`);
  await page.getByRole("button", { name: "Run now" }).click();
  const who = page.getByRole("dialog").getByLabel("who");
  await who.fill("a long text that somebody has thought about");
  const before = documents();
  // A part of the same page is asked for while the form is open.
  front.answer = (from, to) => {
    if (!/^\/assets\/zh-/.test(from.url ?? "")) return false;
    to.writeHead(404).end();
    return true;
  };
  await page.evaluate(() => (document.querySelector("header button[lang=zh]") as HTMLElement).click());
  await page.waitForTimeout(5_000);
  expect(await who.inputValue()).toBe("a long text that somebody has thought about");
  expect(documents()).toBe(before);
  await page.context().close();
});
