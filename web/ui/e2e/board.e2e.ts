import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serious } from "./serious";
import { launch, until, visit, World, yesterday } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start(), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

const lanes = (page: Page) => page.getByRole("application");
/** told is what a reader of the screen hears of the cursor. */
const told = (page: Page) => page.locator(".lanes [aria-live]");

async function openDay(page: Page, path: string): Promise<void> {
  await page.goto(world.url + path);
  await lanes(page).waitFor();
}

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  test("the board can be read by everybody", async () => {
    for (const width of [1280, 1920]) {
      const { page, wrongs } = await visit(browser, { dark: theme === "dark", width });
      await openDay(page, `/day/${yesterday}`);
      await lanes(page).focus();
      for (const key of ["ArrowDown", "ArrowDown", " "]) await page.keyboard.press(key);
      await page.getByRole("complementary").getByRole("heading", { name: "Waits for" }).waitFor();
      await page.screenshot({ path: `${shots}day-${theme}-${width}.png` });
      if (width === 1280) expect(await serious(page)).toEqual([]);
      expect(wrongs).toEqual([]);
      await page.context().close();
    }
  });
});

test("by keyboard alone: to an instance, its edges, its page; and to other days", async () => {
  const { page, wrongs } = await visit(browser);
  await openDay(page, `/day/${yesterday}`);
  await lanes(page).focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => told(page).textContent()).toContain("shop: 5 jobs");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => told(page).textContent()).toContain("shop/clean 01:00, waiting (dependency), late");
  await page.keyboard.press(" ");
  const panel = page.getByRole("complementary");
  await panel.getByText("shop/orders 01:00").waitFor();
  await panel.getByText("looked in").first().waitFor();
  await panel.getByText("shop/report 02:00").click();
  await panel.getByRole("heading", { name: "shop/report" }).waitFor();
  await lanes(page).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /shop\/report/ }).waitFor();
  expect(page.url()).toContain("/instances/");

  await page.goBack();
  await lanes(page).waitFor();
  await page.keyboard.press("[");
  const before = new Date(Date.parse(yesterday) - 86_400_000).toISOString().slice(0, 10);
  await expect.poll(() => page.url()).toContain(`/day/${before}`);
  await page.keyboard.press("]");
  await expect.poll(() => page.url()).toContain(`/day/${yesterday}`);
  await page.keyboard.press("t");
  await expect.poll(() => new URL(page.url()).pathname).toBe("/day");
  await page.keyboard.press("?");
  await page.getByText("The day before and after").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("groups fold by keyboard, and the address keeps what is chosen", async () => {
  const { page, wrongs } = await visit(browser);
  await openDay(page, `/day/${yesterday}`);
  await lanes(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("fold=shop");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.url()).not.toContain("fold");
  await page.getByRole("button", { name: "failed" }).click();
  await expect.poll(() => page.url()).toContain("state=failed");
  await page.getByRole("link", { name: "1 instance" }).waitFor();
  await page.keyboard.press("Tab");
  await lanes(page).focus();
  await page.keyboard.press("+");
  await expect.poll(() => page.url()).toContain("zoom=1.5");
  const address = page.url();
  await page.reload();
  await page.getByRole("link", { name: "1 instance" }).waitFor();
  expect(page.url()).toBe(address);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a day to come is what will be planned, and says so", async () => {
  const { page, wrongs } = await visit(browser);
  await openDay(page, "/day/2027-03-28?zone=Europe/Berlin");
  await page.getByRole("button", { name: "planned" }).waitFor();
  expect(await lanes(page).getAttribute("aria-label")).toContain("2027-03-28 in Europe/Berlin");
  await lanes(page).focus();
  for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await expect.poll(() => told(page).textContent()).toContain("not recorded yet");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "shop/clean" }).waitFor();
  expect(page.url()).toContain("/planned?i=shop");
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("words and selectors find, and what finds nothing has a way on", async () => {
  const { page, wrongs } = await visit(browser);
  await openDay(page, `/day/${yesterday}`);
  const find = page.getByRole("searchbox");
  const search = async (words: string) => {
    await find.fill(words);
    await find.press("Enter");
  };
  await search("SHOP rep");
  await page.getByRole("link", { name: "1 instance" }).waitFor();
  await search("job:report 1+");
  await page.getByRole("link", { name: "3 instances" }).waitFor();
  await search("nothing like it");
  await page.getByText("Nothing on this day matches.").waitFor();
  await page.getByRole("button", { name: "Show all of the day" }).click();
  await page.getByRole("link", { name: "5 instances" }).waitFor();
  await search("state:lost");
  await page.getByText("state:lost leaves none").waitFor();
  await search("jbo:report");
  await page.getByRole("alert").getByText("did you mean job:").first().waitFor();
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0); // it would be as wrong again
  await page.getByRole("button", { name: "Show all of the day" }).click();
  await page.getByRole("link", { name: "5 instances" }).waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("bad addresses have words: no day, no zone, markup", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/day/2026-02-30`);
  await page.getByRole("alert").getByText("“2026-02-30” is no day").waitFor();
  await page.goto(`${world.url}/day/${encodeURIComponent("<img src=x onerror=alert(1)>")}`);
  await page.getByRole("alert").getByText("“<img src").waitFor();
  await page.goto(`${world.url}/day?zone=${encodeURIComponent("<svg onload=alert(2)>")}`);
  await page.getByRole("alert").getByText("there is no time zone").first().waitFor();
  await page.goto(`${world.url}/day?q=${encodeURIComponent("<script>alert(3)</script>")}&fold=<b>&state=<i>&zoom=nan&at=x`);
  await page.getByText("Nothing on this day matches.").or(page.getByText("There is no instance")).first().waitFor();
  expect(await page.locator("main img, main script, main b, main svg[onload]").count()).toBe(0);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("in Chinese the board is in Chinese", async () => {
  const { page, wrongs } = await visit(browser, { language: "zh-CN" });
  await openDay(page, `/day/${yesterday}`);
  await page.getByRole("button", { name: "全部依赖" }).waitFor();
  await lanes(page).focus();
  for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await expect.poll(() => told(page).textContent()).toContain("等待 (依赖)");
  await page.screenshot({ path: `${shots}day-zh-1280.png` });
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what happens shows without asking", async () => {
  // A server with nothing due: whether a job of every day has an instance of today depends on the hour.
  const scratch = mkdtempSync(join(tmpdir(), "almanac-board-"));
  const folder = join(scratch, "folder");
  mkdirSync(folder);
  writeFileSync(join(folder, "shop.yaml"), "workflow: shop\njobs:\n  stock: { trigger: manual, confirm: true, action: { type: none } }\n");
  const own = await World.start({ empty: true });
  const { page, wrongs } = await visit(browser);
  try {
    await own.stop();
    await own.serve([folder]);
    await page.goto(`${own.url}/day`);
    await page.getByText("There is no instance on this day.").waitFor();
    const { id } = await own.post<{ id: string }>("/api/v1/jobs/shop/stock/trigger", {});
    await own.post(`/api/v1/instances/${id}/confirm`, {});
    await page.getByRole("button", { name: "succeeded 1" }).waitFor();
    expect(await lanes(page).getAttribute("aria-label")).toContain("1 job, 1 instance");
    expect(wrongs).toEqual([]);
  } finally {
    await page.context().close();
    await own.end();
    rmSync(scratch, { recursive: true, force: true });
  }
});

test("what ran again has a bar for each run, and is one instance", async () => {
  const own = await World.start();
  const { page, wrongs } = await visit(browser);
  try {
    const id = await own.idOf(`job:orders date:${yesterday}`);
    await own.post("/api/v1/operations", { operation: "rerun", ids: [id] });
    await until(async () => (await own.api<{ run: number; state: string }>(`/api/v1/instances/${id}`)).state === "failed");
    const { items } = await own.api<{ items: { number: number; state: string }[] }>(`/api/v1/instances/${id}/runs`);
    expect(items.map((run) => `${run.number} ${run.state}`)).toEqual(["1 failed", "2 failed"]);
    await page.goto(`${own.url}/day/${yesterday}?q=orders`);
    await lanes(page).waitFor();
    await lanes(page).focus();
    for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    const current = "run 2, after an earlier one"; // how it is now comes first
    await expect.poll(() => told(page).textContent()).toContain(current);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => told(page).textContent()).toContain("run 1, before the current one");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => told(page).textContent()).toContain(current);
    await page.screenshot({ path: `${shots}day-rerun.png` });
    await page.getByRole("link", { name: "1 instance" }).waitFor();
    expect(wrongs).toEqual([]);
  } finally {
    await page.context().close();
    await own.end();
  }
});
