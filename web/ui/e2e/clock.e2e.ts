import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serious } from "./serious";
import { faulty, launch, until, visit, World } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "almanac-clock-"));
const folder = join(scratch, "folder");
const jobs = `workflow: shop
jobs:
  orders: { cron: "0 1 * * *", action: { type: none } }
  count: { trigger: manual, action: { type: none } }
`;

/** The clock of the server's machine is so far from the right time. */
function clock(offset: string): void {
  writeFileSync(join(scratch, "next"), offset);
  renameSync(join(scratch, "next"), join(scratch, "offset"));
}

let world: World;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "shop.yaml"), jobs);
  clock("0s");
  const env = { ALMANAC_CLOCK_FILE: join(scratch, "offset"), ALMANAC_CLOCK_WITNESS: join(scratch, "witness") };
  [world, browser] = await Promise.all([World.start({ empty: true, program: faulty(), env }), launch()]);
  await world.stop();
  await world.serve([folder]);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await world?.end();
  rmSync(scratch, { recursive: true, force: true });
});

const plans = async () =>
  (await world.api<{ items: { planTime: string }[] }>("/api/v1/instances?limit=500")).items.map((one) => one.planTime);

test("a clock that is not believed is said on Home until it is set right, or a person vouches for it", async () => {
  // Home without any instance is how to begin. Whether orders has one yet depends on the hour.
  await world.post("/api/v1/jobs/shop/count/trigger", {});
  await until(async () => (await plans()).length > 0);
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url);
  await page.getByText("Starts next").waitFor();
  const said = page.getByRole("alert").filter({ hasText: "The server does not do its work" });
  expect(await said.count()).toBe(0);
  const before = await plans();

  // Two months ahead: nobody vouches for it, so that nothing is planned or started. An open page says so by itself.
  clock("1464h");
  await said.getByText("nothing is planned or started").waitFor();
  expect((await fetch(`${world.url}/readyz`)).status).toBe(503);
  expect(await serious(page)).toEqual([]);
  await page.screenshot({ path: `${shots}clock.png` });
  expect(await plans()).toEqual(before);

  // It is set right again.
  clock("0s");
  await said.waitFor({ state: "hidden" });

  // It is ahead again, and this time it is right: a person says so.
  clock("1464h");
  await said.waitFor();
  await world.post("/api/v1/clock/confirm", { note: "the machine was off" });
  await said.waitFor({ state: "hidden" });
  const status = () => world.api<{ ready: boolean; now: string }>("/api/v1/status");
  await until(async () => (await status()).ready);
  expect(Date.parse((await status()).now) - Date.now()).toBeGreaterThan(1_400 * 3_600_000);
  await until(async () => (await plans()).length > before.length); // and what is due by it is planned
  const { items } = await world.api<{ items: object[] }>("/api/v1/audit?limit=50");
  expect(JSON.stringify(items)).toContain("the machine was off");
  expect(wrongs).toEqual([]);
  await page.context().close();
});
