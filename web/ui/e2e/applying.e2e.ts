import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serious } from "./serious";
import { launch, until, visit, World } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "almanac-applying-"));
const folder = join(scratch, "folder");
/** A job of each minute of a year that is over: nothing of it is due by itself. */
const jobs = `workflow: shop
jobs:
  clicks:
    startTime: 2025-01-01T00:00:00Z
    endTime: 2026-01-01T00:00:00Z
    recurrence: { frequency: minute }
    action: { type: none }
`;

let world: World;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "shop.yaml"), jobs);
  [world, browser] = await Promise.all([World.start({ empty: true }), launch()]);
  await world.stop();
  await world.serve([folder]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await world?.end();
  rmSync(scratch, { recursive: true, force: true });
});

interface Backfill {
  id: string;
  state: string;
  written?: number;
  total: number;
}

/** applied has the server begin to apply a backfill. */
async function applied(from: string, to: string): Promise<Backfill> {
  const plan = await world.post<object>("/api/v1/backfills/plan", { jobs: ["shop/clicks"], from, to });
  return world.post<Backfill>("/api/v1/backfills", { plan: { ...plan, instances: undefined } });
}

const stateOf = async (id: string) => (await world.api<Backfill>(`/api/v1/backfills/${id}`)).state;
const value = (page: Page) => page.getByRole("progressbar").evaluate((bar: HTMLProgressElement) => bar.value);

test("how far a large backfill is written is seen on its page and in the list, and it can be taken back", async () => {
  const { id, state, total } = await applied("2025-01-01", "2025-12-01");
  expect(state).toBe("applying");
  expect(total).toBeGreaterThan(400_000);
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/backfills/${id}`);
  await page.getByText(new RegExp(`^\\d+ of ${total} instances are written$`)).waitFor();
  await page.getByText("None of it starts before the last instance is written").waitFor();
  const first = await value(page);
  await expect.poll(() => value(page)).toBeGreaterThan(first); // by itself
  expect(await page.getByRole("link", { name: "Its instances" }).count()).toBe(0); // there are none yet
  expect(await serious(page)).toEqual([]);
  for (const [name, options] of [
    ["light", {}],
    ["dark", { dark: true }],
    ["phone", { width: 390 }],
    ["zh", { language: "zh-CN" }],
  ] as const) {
    const other = await visit(browser, options);
    await other.page.goto(`${world.url}/backfills/${id}`);
    await other.page.getByRole("progressbar").waitFor();
    expect(await other.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name).toBe(true);
    await other.page.screenshot({ path: `${shots}applying-${name}.png` });
    expect(other.wrongs).toEqual([]);
    await other.page.context().close();
  }
  const list = await page.context().newPage();
  await list.goto(`${world.url}/backfills`);
  const line = list.locator(".rows .line", { has: list.getByText("being applied") });
  await line.getByRole("progressbar").waitFor();
  expect(await serious(list)).toEqual([]);
  await list.screenshot({ path: `${shots}applying-list.png` });
  await list.close();

  expect(await stateOf(id)).toBe("applying"); // else nothing of this was seen while it was
  await page.getByRole("button", { name: "Cancel backfill…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel backfill" }).click();
  await page
    .getByText(/instances are yet to be taken away|^cancelled$/)
    .first()
    .waitFor();
  await until(async () => (await stateOf(id)) === "cancelled");
  await page.getByText("cancelled", { exact: true }).first().waitFor();
  await page.getByRole("progressbar").waitFor({ state: "detached" });
  expect(wrongs).toEqual([]);
  await page.context().close();
}, 180_000);

test("a page that is open while the last instance is written goes on with the days of the backfill", async () => {
  const { id, total } = await applied("2025-02-01", "2025-02-15");
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/backfills/${id}`);
  await page.getByText(`of ${total} instances have ended`).waitFor({ timeout: 60_000 });
  await page.getByRole("link", { name: "Its instances" }).waitFor();
  await page.getByRole("list", { name: "Day by day" }).getByRole("listitem").nth(13).waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
}, 120_000);
