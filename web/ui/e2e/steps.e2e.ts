import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serious } from "./serious";
import { type Etl, startEtl } from "./steps.world";
import { launch, settled, visit } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));

let etl: Etl;
let url: string;
let browser: Browser;
beforeAll(async () => {
  [etl, browser] = await Promise.all([startEtl(), launch()]);
  url = etl.world.url;
});
afterAll(async () => {
  await browser?.close();
  await etl?.end();
});

const places: [string, () => string, string][] = [
  ["steps", () => `/instances/${etl.load}?tab=steps&step=parse`, "What needs what"],
  ["version", () => `/instances/${etl.load}?tab=version`, "The job has a newer one"],
  ["watch", () => `/instances/${etl.watch}?tab=steps`, "never-there is not there"],
  ["watch-why", () => `/instances/${etl.watch}`, "never-there is not there"],
  ["days", () => "/jobs/etl/daily", "The last 60 runs"],
  ["durations", () => "/jobs/etl/daily?days=duration", "The last 60 runs"],
  ["due", () => "/jobs/etl/night", "discrete hours"],
];

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  test.each(places)("%s can be read by everybody", async (name, path, words) => {
    const { page, wrongs } = await visit(browser, { dark: theme === "dark" });
    await page.goto(url + path());
    await page.getByText(words).first().waitFor();
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      await page.screenshot({ path: `${shots}${name}-${theme}-${width}.png`, fullPage: true });
      if (width === 1280) expect(await serious(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
    expect(wrongs).toEqual([]);
    await page.context().close();
  });
});

test("a step says what it needs, how often it was tried, what it handed on, and leads to its log", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${url}/instances/${etl.load}?tab=steps&run=1`);
  const node = page.getByRole("button", { name: /^parse succeeded/ });
  await node.focus();
  await page.keyboard.press("Enter");
  const row = page.locator("tr.chosen");
  await expect.poll(() => row.innerText()).toContain("parse");
  expect(await row.locator("td").nth(1).innerText()).toBe("3");
  const detail = page.locator("tr.detail");
  expect(await detail.innerText()).toContain("fetch");
  expect(await detail.getByText("exit 1").count()).toBe(2);
  expect(await page.getByRole("img", { name: /steps waited and ran/ }).count()).toBe(1);
  expect(await page.locator(".gantt .bar").count()).toBe(11); // eight steps and items that ran, one of them three times, and one that failed
  expect(await page.locator(".gantt .retry").count()).toBe(2);
  await page.getByRole("button", { name: "fetch", exact: true }).click();
  await page.getByText("note=<img src=x onerror=alert(1)>").waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  await page.getByRole("link", { name: "Log of publish" }).click();
  await page.getByText("the target is read-only").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("runs are told apart, and a change that came between is shown with signs", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${url}/instances/${etl.load}?tab=steps`);
  const runs = page.getByLabel("Run", { exact: true });
  await runs.waitFor();
  expect(await runs.locator("option").count()).toBe(2);
  expect(await runs.inputValue()).toBe("2");
  await runs.selectOption("1");
  await expect.poll(() => page.url()).toContain("run=1");
  await page.getByText("<b>again</b>").first().waitFor(); // the note of the rerun
  await page.getByRole("tab", { name: "Version" }).click();
  await page.locator(".diff ins").first().waitFor();
  const added = await page.locator(".diff ins").allInnerTexts();
  expect(added.map((line) => line.trimEnd().replace(/\s+/, " "))).toContain("+ command: sleep 0.1");
  expect(added.join("")).toContain("audit");
  expect((await page.locator(".diff del").allInnerTexts()).map((line) => line.trimEnd().replace(/\s+/, " "))).toEqual([
    "− command: sleep 0.5",
  ]);
  await page.getByRole("button", { name: "Whole" }).click();
  await page.getByText("retryInterval: PT1S").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what watches goes on being looked at while one looks on", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${url}/instances/${etl.watch}?tab=steps`);
  const look = page.getByText(/look \d+ found/).first();
  const first = await look.innerText();
  await expect.poll(() => look.innerText(), { timeout: 15_000 }).not.toBe(first);
  expect(await page.locator(".gantt .watch").count()).toBe(1);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("the year is walked through by keyboard, to the instances of a day", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${url}/jobs/etl/daily`);
  const today = page.locator(".cell.today");
  await today.waitFor();
  await page.getByText("failed", { exact: false }).first().waitFor();
  expect(await page.locator(".year .scroll .cell.failed").count()).toBeGreaterThan(10);
  expect(await page.locator(".year .scroll .cell.succeeded").count()).toBeGreaterThan(250);
  expect(await page.locator(".year .scroll .cell.planned").count()).toBeGreaterThan(20);
  const date = (await today.getAttribute("data-date")) ?? "";
  await today.focus();
  await page.keyboard.press("ArrowLeft");
  const before = new Date(Date.parse(date) - 7 * 86_400_000).toISOString().slice(0, 10);
  expect(await page.evaluate("document.activeElement.dataset.date")).toBe(before);
  await expect.poll(() => page.locator(".year .told").innerText()).toMatch(new RegExp(`^${before}: 1 (succeeded|failed)`));
  await page.keyboard.press("Home");
  await page.keyboard.press("End");
  expect(await page.evaluate("document.activeElement.getAttribute('aria-disabled')")).toBe("true");
  await page.locator(`.cell[data-date="${before}"]`).focus();
  await page.keyboard.press("Enter");
  await page.getByText("1 instance").waitFor();
  expect(decodeURIComponent(page.url())).toContain(`job:etl/daily date:${before}`);
  await page.goBack();
  await page.getByRole("button", { name: "Duration" }).click();
  await expect.poll(() => page.locator(".year .scroll .cell.level-5").count()).toBeGreaterThan(10);
  await page.getByRole("button", { name: "The month after" }).click();
  await expect.poll(() => page.locator(".month .times").count()).toBeGreaterThanOrEqual(28);
  await page.getByText("As a table").click();
  expect(await page.locator("details table tbody tr").count()).toBe(60);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what an address asks for and is not there has words and a way on", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${url}/jobs/etl/daily?month=2026-99&days=moons`);
  await page.getByText("The last 60 runs").waitFor();
  expect(await page.locator(".month .today").count()).toBe(1);
  await page.goto(`${url}/instances/${etl.load}?tab=steps&run=77&step=nothing`);
  await page.getByText("What needs what").waitFor();
  await page.goto(`${url}/instances/${etl.load}?tab=version&against=nothing`);
  await page.getByText("The job has a newer one").waitFor();
  await page.route("**/days?*", (route) =>
    route.fulfill({
      status: 500,
      contentType: "application/problem+json",
      body: '{"status":500,"code":"internal","title":"Broken","type":"x"}',
    }),
  );
  await page.goto(`${url}/jobs/etl/daily`);
  await page.getByRole("alert").getByText("Broken").first().waitFor();
  await page.getByText("every day at 03:30").waitFor(); // the rest of the page is there
  await page.unroute("**/days?*");
  await page.getByRole("button", { name: "Try again" }).first().click();
  await page.locator(".cell.today").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("in Chinese", async () => {
  const { page, wrongs } = await visit(browser, { language: "zh-CN" });
  await page.goto(`${url}/jobs/etl/night`);
  await page.getByText("每 2 周 周一、周五 02:15、14:15").waitFor();
  await page.getByText(/^离散小时/).waitFor();
  await page.goto(`${url}/instances/${etl.load}?tab=steps`);
  await page.getByText("步骤依赖").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});
