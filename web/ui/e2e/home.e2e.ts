import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Front } from "./front";
import { serious } from "./serious";
import { launch, visit, World, yesterday } from "./world";

let world: World;
let browser: Browser;
let front: Front;
let url: string;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start(), launch()]);
  front = new Front(world.url);
  url = await front.listen();
});
afterAll(async () => {
  front?.close();
  await browser?.close();
  await world?.end();
});

test("what is wrong now is asked once, tells what would help, and has nothing that only takes its time", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(url);
  const wrong = page.locator("section.card", { has: page.getByRole("heading", { name: "What is wrong now" }) });
  const orders = wrong.locator(".cause", { hasText: "shop/orders" });
  await orders.getByText("keeps 2 waiting").waitFor();
  await orders.getByText("almanac rerun shop/orders@").waitFor();
  await wrong.locator(".cause", { hasText: "shop/stock" }).first().getByText("almanac confirm shop/stock@").waitFor();
  expect(await wrong.locator(".cause.goes-on").count()).toBe(0);
  expect(await wrong.getByText("talker").count()).toBe(0);
  expect(await serious(page)).toEqual([]);
  await page.waitForTimeout(16_000);
  expect(front.asked.filter(({ path }) => path.includes("/explain"))).toEqual([]);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a tooltip of the board stays, and is not made anew, while data arrives", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${url}/day/${yesterday}`);
  const lanes = page.getByRole("application");
  await lanes.waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  const box = await lanes.boundingBox();
  const tip = page.locator(".lanes .tip");
  // A bar is looked for where the day's first lanes are.
  search: for (let y = 90; y < 260; y += 12) {
    for (let x = 230; x < 420; x += 6) {
      await page.mouse.move((box?.x ?? 0) + x, (box?.y ?? 0) + y);
      if ((await tip.count()) > 0 && (await tip.getByText("shop/").count()) > 0) break search;
    }
  }
  await tip.waitFor();
  await page.evaluate(() => Object.assign(window, { tip: document.querySelector(".lanes .tip") }));
  const days = () => front.times("/api/v1/days/");
  for (let n = 0; n < 3; n++) {
    const before = days();
    await world.post("/api/v1/jobs/shop/stock/trigger", { planTime: `${yesterday}T2${n}:00:00Z` });
    await expect.poll(days).toBeGreaterThan(before);
    await page.waitForTimeout(700);
    expect(await page.evaluate(() => (window as unknown as { tip: Element }).tip === document.querySelector(".lanes .tip"))).toBe(true);
  }
  expect(await tip.isVisible()).toBe(true);
  expect(wrongs).toEqual([]);
  await page.context().close();
});
