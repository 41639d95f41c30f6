import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serious } from "./serious";
import { launch, until, visit, World } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "almanac-late-"));
const folder = join(scratch, "folder");

let world: World;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(folder);
  [world, browser] = await Promise.all([World.start({ empty: true }), launch()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await world?.end();
  rmSync(scratch, { recursive: true, force: true });
});

test("what ended well, though late, is no root of its incident", async () => {
  // Its time comes, and its deadline passes, while no server runs.
  await world.stop();
  const due = Math.ceil(Date.now() / 1_000) * 1_000 + 20_000;
  const at = new Date(due).toISOString().replace(".000", "");
  const tally = `{ at: ["${at}"], deadline: PT1S, misfire: runAll, action: { type: none } }`;
  writeFileSync(join(folder, "shop.yaml"), `workflow: shop\njobs:\n  tally: ${tally}\n`);
  await world.serve([folder]);
  const state = async () => {
    const { items } = await world.api<{ items: { job: string; state: string }[] }>("/api/v1/instances?limit=10");
    return items.find((one) => one.job === "tally")?.state;
  };
  await until(async () => (await state()) === "waiting");
  await world.stop();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, due + 2_500 - Date.now())));
  await world.serve([folder]);
  await until(async () => (await state()) === "succeeded");
  const incidents = async () => (await world.api<{ items: { id: string; kind: string }[] }>("/api/v1/incidents?state=all")).items;
  await until(async () => (await incidents()).length > 0);
  const [incident] = await incidents();
  expect(incident?.kind).toBe("ended-late");

  for (const [name, options, late, root] of [
    ["light", {}, "Ended late", "Root"],
    ["dark", { dark: true }, "Ended late", "Root"],
    ["phone", { width: 390 }, "Ended late", "Root"],
    ["zh", { language: "zh-CN" }, "逾期结束", "根因"],
  ] as const) {
    const { page, wrongs } = await visit(browser, options);
    await page.goto(`${world.url}/incidents/${incident?.id}`);
    const terms = page.locator(".facts dt");
    await terms.first().waitFor();
    const told = await terms.allTextContents();
    expect(told).toContain(late);
    expect(told).not.toContain(root);
    expect(await serious(page)).toEqual([]);
    await page.screenshot({ path: `${shots}incident-late-${name}.png` });
    expect(wrongs).toEqual([]);
    await page.context().close();
  }
}, 120_000);
