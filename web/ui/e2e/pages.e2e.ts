import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unlooked } from "./everypage";
import { serious } from "./serious";
import { launch, settled, until, visit, World, yesterday } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));

let world: World;
let browser: Browser;
let report: string;
let orders: string;
let incident: string;
let backfill: string;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start(), launch()]);
  const plan = await world.post<{ instances: object[] }>("/api/v1/backfills/plan", {
    jobs: ["shop/stock"],
    from: "2026-02-01",
    to: "2026-02-02",
  });
  const note = "<img src=x onerror=alert(12)>";
  backfill = (await world.post<{ id: string }>("/api/v1/backfills", { plan: { ...plan, instances: undefined }, note })).id;
  await until(async () => {
    const { items } = await world.api<{ items: { id: string }[] }>("/api/v1/incidents");
    incident = items[0]?.id ?? "";
    return incident !== "";
  });
  report = await world.idOf("job:report date:yesterday");
  orders = await world.idOf("job:orders date:yesterday");
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

/** later is a day to come of which nothing is written down yet. */
const later = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);

/** Every page, and what shows that it is there. */
const places: [string, () => string, string][] = [
  ["home", () => "/", "keeps 2 waiting"],
  ["day", () => `/day/${yesterday}`, "5 instances"],
  ["instances", () => "/instances?q=date:yesterday", "5 instances"],
  ["instance", () => `/instances/${report}`, "Root causes"],
  ["failed", () => `/instances/${orders}`, "exit 3"],
  ["waits", () => `/instances/${report}?tab=waits`, "natural"],
  ["log", () => `/instances/${orders}?tab=log`, "the source was not there"],
  ["history", () => `/instances/${orders}?tab=history`, "start"],
  ["details", () => `/instances/${orders}?tab=details`, "Job version"],
  ["planned", () => `/planned?i=${encodeURIComponent(`shop/orders@${later}T01:00:00Z`)}`, "Not written down yet"],
  ["jobs", () => "/jobs", "shop/talker"],
  ["job", () => "/jobs/shop/report", "shop/stock"],
  ["definition", () => "/definitions/shop?job=report&date=2100-01-01", "every day at 02:00"],
  ["definition-edit", () => "/definitions/shop?edit=1", "No mistakes"],
  ["definition-diff", () => "/definitions/shop?edit=1&tab=diff", "Compare"],
  ["operation", () => `/instances/${report}?do=detach`, "does not wait"],
  ["simulate", () => "/simulate", "end well"],
  ["incidents", () => "/incidents", "shop/orders"],
  ["incident", () => `/incidents/${incident}`, "What belongs to it"],
  ["today", () => "/day", "All dependencies"],
  ["page-graph", () => `/instances/${report}/graph`, "Waits for"],
  ["page-graph-which", () => "/graph", "Which instance?"],
  ["backfills", () => "/backfills", "shop/stock"],
  ["backfill-new", () => "/backfills/new", "Next: Days"],
  ["backfill", () => `/backfills/${backfill}`, "<img src=x onerror=alert(12)>"],
  ["admin", () => "/admin?tab=health", "Last turn"],
  ["missing", () => "/instances/999999", "There is nothing here"],
];

test("every page that there is, is looked at", () => {
  expect(unlooked(places.map(([, path]) => path()))).toEqual([]);
});

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  test.each(places)("%s can be read by everybody", async (name, path, words) => {
    const { page, wrongs } = await visit(browser, { dark: theme === "dark" });
    await page.goto(world.url + path());
    await page.getByText(words).first().waitFor();
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      await page.screenshot({ path: `${shots}${name}-${theme}-${width}.png` });
      if (width === 1280) {
        expect(await serious(page)).toEqual([]);
      }
      expect(await page.locator("main img, main script, main iframe, main object, body script").count()).toBe(0);
    }
    expect(wrongs).toEqual([]);
    await page.context().close();
  });

  test("what opens over a page can be read by everybody", async () => {
    const { page, wrongs } = await visit(browser, { dark: theme === "dark" });
    await page.goto(world.url);
    await page.getByText("keeps 2 waiting").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sho");
    await page.getByRole("option", { name: "shop/talker" }).waitFor();
    await page.screenshot({ path: `${shots}palette-${theme}-1280.png` });
    expect(await serious(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    expect(await serious(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.route("**/api/v1/**", (route) =>
      route.fulfill({
        status: 401,
        contentType: "application/problem+json",
        body: '{"status":401,"code":"unauthenticated","title":"Unauthorized","type":"x"}',
      }),
    );
    await page.keyboard.press("g"); // the stream stands open: what asks next is refused
    await page.keyboard.press("j");
    await page.getByRole("dialog", { name: "A token, please" }).waitFor({ timeout: 15_000 });
    await page.screenshot({ path: `${shots}token-${theme}-1280.png` });
    expect(await serious(page)).toEqual([]);
    expect(wrongs).toEqual([]);
    await page.context().close();
  });
});

test("names, descriptions, outputs and parameters are texts and nothing else", async () => {
  const { page, wrongs } = await visit(browser);
  const evil = encodeURIComponent("job:<img/src=x/onerror=alert(7)> date:today");
  for (const path of [
    "/",
    "/jobs",
    "/jobs/shop/orders",
    "/jobs/shop/talker",
    `/instances/${orders}?tab=log`,
    `/instances?q=${evil}`,
    "/jobs?q=%3Cscript%3Ealert(8)%3C/script%3E",
    "/jobs/%3Cimg%20src=x%3E/y",
  ]) {
    await page.goto(world.url + path);
    await page.getByRole("heading").or(page.getByRole("alert")).first().waitFor();
    await settled(page);
    expect(await page.locator("main img, main script, main iframe, main object, body script").count(), path).toBe(0);
  }
  await page.goto(`${world.url}/instances/${orders}?tab=log`);
  await page.getByText("<script>alert(3)</script><img src=x onerror=alert(4)>").waitFor();
  expect(await page.locator(".log .text a").count()).toBe(0);
  expect(await page.locator(".ansi-bold.ansi-fg-1").textContent()).toBe("red");
  await page.goto(`${world.url}/jobs/shop/talker`);
  await page.getByRole("button", { name: "Run now" }).click();
  expect(await page.getByRole("dialog").locator("input").first().getAttribute("placeholder")).toBe('"><img src=x onerror=alert(6)>');
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("code that is put into the page does not run", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url);
  await page.getByText("What is wrong now").waitFor();
  await expect(page.evaluate(() => document.createElement("img").setAttribute("onerror", "alert(9)"))).rejects.toThrow(/TrustedScript/);
  await expect(page.evaluate(() => document.body.insertAdjacentHTML("beforeend", "<b>x</b>"))).rejects.toThrow(/TrustedHTML/);
  await page.evaluate(() => {
    const style = document.createElement("style");
    style.textContent = "body { display: none }";
    document.head.append(style);
  });
  await page.waitForTimeout(200);
  expect(await page.locator("body").isVisible()).toBe(true);
  expect(wrongs.filter((wrong) => wrong.startsWith("dialog"))).toEqual([]);
  expect(wrongs.join()).toContain("policy: style-src-elem inline");
  await page.context().close();
});

test("in Chinese every page is in Chinese, and stays so", async () => {
  const { page, wrongs } = await visit(browser, { language: "zh-CN" });
  await page.goto(world.url);
  await page.getByText("当前问题").waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN");
  await page.screenshot({ path: `${shots}home-zh-1280.png` });
  await page.getByRole("button", { name: "English" }).click();
  await page.getByText("What is wrong now").waitFor();
  await page.reload();
  await page.getByText("What is wrong now").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});
