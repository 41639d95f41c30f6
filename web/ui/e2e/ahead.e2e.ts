import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serious } from "./serious";
import { launch, until, visit, World } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "almanac-ahead-"));
const folder = join(scratch, "folder");
const good = `workflow: shop
defaults:
  recurrence: { frequency: day, schedule: { hours: [1], minutes: [0] } }
jobs:
  orders: { action: { type: none } }
  report: { dependsOn: [orders], action: { type: none } }
  flaky: { trigger: manual, action: { type: shell, command: "test -e ${scratch}/flag" } }
  again:
    trigger: manual
    retryPolicy: { retryType: fixed, retryCount: 2, retryInterval: PT1S }
    action: { type: shell, command: "exit 3" }
`;
/** Two thousand jobs that are due at one time, in some hours. */
const many = (minute: string) =>
  [`workflow: many`, `jobs:`, ...Array.from({ length: 2_000 }, (_, n) => `  j${n}: { cron: "${minute}", action: { type: none } }`)].join(
    "\n",
  );

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ empty: true }), launch()]);
  await world.stop();
  const { mkdirSync } = await import("node:fs");
  mkdirSync(folder);
  writeFileSync(join(folder, "shop.yaml"), good);
  await world.serve([folder]);
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
  rmSync(scratch, { recursive: true, force: true });
});

/** later is a day to come of which nothing is written down yet. */
const later = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);

test("a due time to come is frozen, moved and taken back, and is marked wherever it stands", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/planned?i=${encodeURIComponent(`shop/orders@${later}T01:00:00Z`)}`);
  await page.getByText("Not written down yet:").waitFor();
  await page.getByRole("button", { name: "Freeze", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("does not start before it is let go").waitFor();
  await dialog.getByLabel("Why").fill("audit");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/\/instances\/\d+/); // it is written down for it
  await page.getByText(/Ordered ahead by .*: frozen \(audit\)/).waitFor();
  const id = page.url().split("/").at(-1);
  expect(await serious(page)).toEqual([]);

  await page.getByRole("button", { name: "Reschedule" }).click();
  await page
    .getByRole("dialog")
    .getByLabel(/Starts at the earliest/)
    .fill(`${later}T09:30`);
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await page.getByText(/Ordered ahead by .*09:30/).waitFor();
  const order = await world.api<{ items: { frozen?: boolean; notBefore?: string; instance?: string }[] }>("/api/v1/orders");
  expect(order.items).toMatchObject([{ frozen: true, notBefore: `${later}T09:30:00Z`, instance: id }]);

  await page.goto(`${world.url}/instances?q=${encodeURIComponent(`date:${later}`)}`);
  await page.locator(".ordered").first().waitFor();
  await page.goto(`${world.url}/day/${later}`);
  await page.getByRole("application").focus();
  for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await expect.poll(() => page.locator(".lanes [aria-live]").textContent()).toContain("ordered ahead: frozen");
  await page.screenshot({ path: `${shots}ahead-day.png` });
  // What is not written down has a page too, from the board.
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => page.locator(".lanes [aria-live]").textContent()).toContain("shop/report");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/planned\?i=shop%2Freport/);

  await page.goto(`${world.url}/instances/${id}?do=unfreeze`);
  await page.getByRole("dialog").getByRole("heading", { name: "What would happen" }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Freeze", exact: true }).waitFor();
  await page.getByRole("button", { name: "Reschedule" }).click();
  await page.getByRole("dialog").getByText("Back to its plan time").click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await until(async () => (await world.api<{ items: unknown[] }>("/api/v1/orders")).items.length === 0);
  await page.getByText("Ordered ahead by").waitFor({ state: "hidden" });
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a due time to come is skipped and another boosted by clicks, and the calendar of the job shows it", async () => {
  const { page, wrongs } = await visit(browser, { width: 1440 });
  const dialog = page.getByRole("dialog");
  const day = (n: number) => new Date(Date.parse(later) + n * 86_400_000).toISOString().slice(0, 10);
  const [skipped, boosted] = [day(1), day(2)];
  const open = async (date: string) => {
    await page.goto(`${world.url}/planned?i=${encodeURIComponent(`shop/report@${date}T01:00:00Z`)}`);
    await page.getByText("Not written down yet:").waitFor();
  };
  await open(skipped);
  await page.getByRole("button", { name: "Skip", exact: true }).click();
  await dialog.getByRole("heading", { name: "What would happen" }).waitFor();
  await dialog.getByLabel("Why").fill("a day off");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/\/instances\/\d+/);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const at = (date: string) =>
    world.api<{ items: { id: string; state: string; priority: number }[] }>(
      `/api/v1/instances?selector=${encodeURIComponent(`job:report date:${date}`)}`,
    );
  await until(async () => (await at(skipped)).items[0]?.state === "skipped");

  await open(boosted);
  await page.getByRole("button", { name: "Boost", exact: true }).click();
  await dialog.getByRole("heading", { name: "What would happen" }).waitFor();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/\/instances\/\d+/);
  await page.getByText(/Ordered ahead by .*: priority 9/).waitFor();
  expect((await at(boosted)).items).toMatchObject([{ state: "waiting", priority: 9 }]);

  for (const [date, shown] of [
    [skipped, (cell: Locator) => cell.locator(".state.skipped")],
    [boosted, (cell: Locator) => cell.locator(".ordered", { hasText: "01:00, priority 9" })],
  ] as const) {
    await page.goto(`${world.url}/jobs/shop/report?tab=past&month=${date.slice(0, 7)}`);
    const cell = page.locator(".month td", { has: page.locator(`a[href*="${date}"], [title*="${date}"]`) });
    await shown(cell).waitFor();
  }
  expect(await serious(page)).toEqual([]);
  await page.screenshot({ path: `${shots}ahead-month.png` });
  await page.goto(`${world.url}/instances?q=${encodeURIComponent(`job:report date:${boosted}`)}`);
  await page.locator(".ordered", { hasText: "priority 9" }).waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a job is paused with a note and an end, which all pages say, and goes on", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/jobs/shop/orders`);
  await page.getByRole("button", { name: "Pause…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Until/).fill("2020-01-01T00:00");
  await dialog.getByText("That has passed.").waitFor();
  expect(await dialog.getByRole("button", { name: "Pause", exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel(/^Until/).fill(`${later}T00:00`);
  await dialog.getByLabel("What was due meanwhile, when it ends").selectOption("latest");
  await dialog.getByLabel("Why").fill("the source is rebuilt");
  expect(await serious(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByText("shop/orders is paused by").waitFor();
  await page.getByText("The latest of each job that was due meanwhile runs then.").waitFor();
  await page.getByText("the source is rebuilt").waitFor();
  await page.screenshot({ path: `${shots}ahead-paused.png` });
  await page.goto(`${world.url}/jobs`);
  await page.getByRole("heading", { name: "Paused" }).waitFor();
  await page.goto(world.url);
  await page.getByText("shop/orders is paused by").waitFor();
  await page.getByRole("button", { name: "Resume…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume", exact: true }).click();
  await page.getByText("shop/orders is paused by").waitFor({ state: "hidden" });
  expect((await world.api<{ items: unknown[] }>("/api/v1/pauses")).items).toEqual([]);

  // All of a workflow.
  await page.goto(`${world.url}/jobs/shop/report`);
  await page.getByRole("button", { name: "Pause…" }).click();
  await page.getByRole("dialog").locator("select").first().selectOption("workflow");
  await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByText("All of shop is paused by").waitFor();
  await page.getByRole("button", { name: "Resume…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume", exact: true }).click();
  await page.getByText("All of shop is paused by").waitFor({ state: "hidden" });
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a failure that is run again is two bars, one failed and one succeeded, and each run has its own times", async () => {
  const { page, wrongs } = await visit(browser);
  const today = new Date().toISOString().slice(0, 10);
  const state = async (id: string) => (await world.api<{ state: string }>(`/api/v1/instances/${id}`)).state;
  const { id } = await world.post<{ id: string }>("/api/v1/jobs/shop/flaky/trigger", {});
  await until(async () => (await state(id)) === "failed");
  await page.waitForTimeout(2_000); // between the two runs: what a run takes is not the time since the first
  writeFileSync(join(scratch, "flag"), "");
  await world.post("/api/v1/operations", { operation: "rerun", ids: [id] });
  await until(async () => (await state(id)) === "succeeded");
  await page.goto(`${world.url}/instances/${id}`);
  const runs = page.locator("section", { has: page.getByRole("heading", { name: "Runs" }) });
  await runs.getByRole("row").nth(2).waitFor();
  const told = await runs.getByRole("row").allTextContents();
  expect(told[1]).toMatch(/^1 ?failed/);
  expect(told[2]).toMatch(/^2 current ?succeeded/);
  for (const line of told.slice(1)) expect(line).toMatch(/\d ms|\b[01](\.\d)? s/);
  await page.goto(`${world.url}/day/${today}?zone=UTC&q=flaky`);
  await page.getByRole("application").focus();
  // Which of the two is nearer to the middle of the day depends on the hour at which this runs: the first is gone to.
  for (const key of ["ArrowDown", "ArrowDown", "Home"]) await page.keyboard.press(key);
  const spoken = page.locator(".lanes [aria-live]");
  await expect.poll(() => spoken.textContent()).toMatch(/failed, run 1, before the current one/);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => spoken.textContent()).toMatch(/succeeded.*run 2, after an earlier one/);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("the attempts of a run stand beside its bar", async () => {
  const { page, wrongs } = await visit(browser);
  const today = new Date().toISOString().slice(0, 10);
  const { id } = await world.post<{ id: string }>("/api/v1/jobs/shop/again/trigger", {});
  await until(async () => (await world.api<{ state: string }>(`/api/v1/instances/${id}`)).state === "failed");
  await page.goto(`${world.url}/day/${today}?zone=UTC&q=again`);
  await page.getByRole("application").focus();
  for (const key of ["ArrowDown", "ArrowDown", "Space"]) await page.keyboard.press(key);
  await page.locator(".tries li").nth(2).waitFor();
  expect(await page.locator(".tries li").count()).toBe(3);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a bad file is said on Home, with its place and what runs instead, until it is good again", async () => {
  const { page, wrongs } = await visit(browser);
  writeFileSync(join(folder, "two.yaml"), "workflow: two\njobs:\n  one: { trigger: manual, action: { type: none } }\n");
  world.reload();
  await until(async () => (await world.api<{ items: unknown[] }>("/api/v1/jobs?workflow=two")).items.length === 1);
  await page.goto(world.url);
  await page.getByText("Starts next").waitFor();
  expect(await page.getByText("Definitions are not loaded").count()).toBe(0);
  writeFileSync(join(folder, "two.yaml"), "workflow: two\njobs:\n  one: { triger: manual, action: { type: none } }\n");
  world.reload();
  const said = page.locator(".folder");
  await until(async () => {
    await page.reload();
    await said.waitFor({ timeout: 1_000 });
    return true;
  });
  await said.getByText("two.yaml:3:10").waitFor();
  await said.getByText("What was loaded before runs.").waitFor();
  await world.stop();
  await world.serve([folder]);
  await page.goto(world.url);
  await said.getByText("These workflows run as they were recorded last: two").waitFor();
  expect(await serious(page)).toEqual([]);
  await page.screenshot({ path: `${shots}home-folder.png` });
  writeFileSync(join(folder, "two.yaml"), "workflow: two\njobs:\n  one: { trigger: manual, action: { type: none } }\n");
  world.reload();
  await until(async () => {
    await page.reload();
    await page.getByText("Starts next").waitFor();
    return (await said.count()) === 0;
  });
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what starts next is right with 2,000 due at once", async () => {
  const { page, wrongs } = await visit(browser);
  const at = new Date(Date.now() + 2 * 3_600_000);
  const first = at.toISOString().slice(0, 14);
  writeFileSync(join(folder, "many.yaml"), many(`30 ${at.getUTCHours()} * * *`));
  world.reload();
  await until(async () => (await world.api<{ together: number }>("/api/v1/upcoming?limit=6")).together >= 1_000);
  await page.goto(world.url);
  const next = page.locator("section.card", { has: page.getByRole("heading", { name: "Starts next" }) });
  const time = `${first.replace("T", " ")}30`;
  await next.getByText(/and 994\+ more at/).waitFor();
  const rows = next.getByRole("row");
  expect(await rows.count()).toBe(6);
  for (const words of await rows.allTextContents()) expect(words).toContain(time);
  const names = (await rows.getByRole("link").allTextContents()).map((one) => one.trim());
  expect(new Set(names).size).toBe(6);
  await next.getByRole("link", { name: /994\+ more/ }).click();
  await page.getByText("500 instances").first().waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});
