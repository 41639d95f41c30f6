import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binary, launch, visit, World } from "./world";

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start(), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

test("why an instance waits is found in two clicks", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url);
  await page
    .getByRole("link", { name: /^shop\/report \d/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "Root causes" }).waitFor();
  await page.getByText("failed: exit 3 after attempt 1").first().waitFor();
  await page
    .getByRole("main")
    .getByRole("link", { name: /^shop\/orders/ })
    .first()
    .click();
  await page.getByRole("tab", { name: "Attempts and log" }).click();
  await page.getByText("the source was not there").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what Home counts is what its links list, of whatever day", async () => {
  const world = await World.start({ empty: true });
  try {
    await world.stop();
    const then = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);
    const seed = fileURLToPath(new URL("seed", import.meta.url));
    spawnSync(binary, ["run", seed, "--date", then, "--data", world.dir]); // it does not end well
    await world.serve();
    const { instances, gates } = await world.api<{ instances: Record<string, number>; gates: Record<string, number> }>("/api/v1/status");
    const { page, wrongs } = await visit(browser);
    for (const [name, n] of [
      [/^dependency \d/, gates.dependency],
      [/^failed/, instances.failed],
    ] as const) {
      expect(n).toBeGreaterThan(0);
      await page.goto(world.url);
      await page.getByRole("region", { name: "At a glance" }).getByRole("link", { name }).click();
      await expect
        .poll(() => page.getByRole("main").getByRole("status").first().textContent())
        .toBe(`${n} ${n === 1 ? "instance" : "instances"}`);
    }
    expect(wrongs).toEqual([]);
  } finally {
    await world.end();
  }
});

test("an operation says what it would do, does it, and can be undone", async () => {
  const { page, wrongs } = await visit(browser);
  const id = await world.idOf("job:report date:yesterday");
  await page.goto(`${world.url}/instances/${id}`);
  await page.getByRole("button", { name: "Freeze" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("changes").waitFor();
  await page.keyboard.type("the <b>source</b> is late"); // what is asked has the focus, not what closes
  expect(await dialog.getByLabel("Why (kept in the history)").inputValue()).toBe("the <b>source</b> is late");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Freeze: 1 changed").waitFor();
  await page.getByRole("button", { name: "Unfreeze" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Freeze", exact: true }).waitFor();
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("cell", { name: "the <b>source</b> is late" }).waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what would help is one click from the cause, and an operation that is refused says why", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url);
  await page.getByRole("link", { name: "Rerun…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("runs again from the start").waitFor();
  await dialog.getByLabel("Also every ended instance").check();
  await dialog.getByText("runs again from the start").waitFor();
  await page.route("**/api/v1/operations", (route) =>
    route.fulfill({
      status: 403,
      contentType: "application/problem+json",
      body: JSON.stringify({ status: 403, code: "forbidden", title: "Forbidden", type: "x", detail: "this needs the role operator" }),
    }),
  );
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.getByText("this needs the role operator").waitFor();
  await page.keyboard.press("Escape");
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("everything can be reached by the keyboard alone", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url);
  await page.getByText("keeps 2 waiting").waitFor();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.querySelector("main")?.contains(document.activeElement))).toBe(true);

  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.waitForURL("**/instances");
  await page.getByRole("heading", { name: "Instances" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("date:yesterday");
  await page.keyboard.press("Enter");
  await page.getByText("5 instances").waitFor();
  for (let n = 0; n < 20 && !(await focused(page)).includes("2026"); n++) await page.keyboard.press("Tab");
  const row = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.index);
  await page.keyboard.press("End");
  await expect.poll(row).toBe("4");
  await page.keyboard.press("ArrowUp");
  await expect.poll(row).toBe("3");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/instances\/\d+$/);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");

  await page.keyboard.press("Control+k");
  await page.keyboard.type("shop/tal");
  const talker = page.getByRole("option", { name: "shop/talker", selected: true });
  await talker.waitFor();
  const slow = (url: URL) => url.pathname === "/api/v1/jobs" && url.searchParams.get("q") === "shop/talk";
  const asked = page.waitForRequest((request) => slow(new URL(request.url())));
  await page.route(slow, () => {}); // what is there is taken before the answer comes
  await page.keyboard.type("k");
  await asked;
  await talker.waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/jobs/shop/talker");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("job:report date:yesterday");
  await page.keyboard.press("Enter");
  await page.getByText("1 instance").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what is typed wrong, gone, or not there has words and a way on", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/instances?q=${encodeURIComponent("stat:failed date:2026-13-01")}`);
  await page.getByText("did you mean state:?").waitFor();
  await page.getByText("is no day").waitFor();
  await page.getByRole("button", { name: "failed" }).click();
  await page.goto(`${world.url}/jobs/shop/nothing`);
  await page.getByText("There is nothing here").waitFor();
  expect(await page.getByText("GET /api").count()).toBe(0); // that hint is for programs
  await page.getByRole("link", { name: "Go to the home page" }).click();
  await page.getByText("What is wrong now").waitFor();
  await page.goto(`${world.url}/instances?q=${encodeURIComponent("date:2020-01-01")}`);
  await page.getByText("No instance matches.").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("the log of what runs is followed, and what was started is found", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/jobs/shop/talker`);
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
  await page.getByRole("link", { name: "Show" }).click();
  await page.waitForURL(/\/instances\/\d+$/);
  await page.getByText("running").first().waitFor();
  await page.getByRole("tab", { name: "Attempts and log" }).click();
  await page.getByText("talk 3", { exact: true }).waitFor();
  await page.getByText("talk 20", { exact: true }).waitFor({ timeout: 15_000 });
  await page.getByRole("button", { name: "Cancel it" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await page.getByText("cancelled").first().waitFor({ timeout: 15_000 });
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a search goes through the whole log, and to the line", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/instances/${await world.idOf("job:long date:yesterday")}?tab=log`);
  await page.getByText("line 000090000 of").waitFor();
  await page.getByLabel("Search the log").fill("A NEEDLE");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByText("1 line matches").waitFor();
  await page.locator(".line.hit.current", { hasText: "a needle in the hay" }).waitFor();
  await page.getByRole("button", { name: "To the beginning" }).click();
  await page.getByText("line 000000001 of").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a list of 10,000 instances is fetched as it is scrolled, and only what is in sight is in the document", async () => {
  const { page, wrongs } = await visit(browser);
  const { items } = await world.api<{ items: object[] }>("/api/v1/instances?selector=job:report%20date:yesterday");
  let asked = 0;
  await page.route("**/api/v1/instances?*", (route) => {
    const begin = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
    asked++;
    const rows = Array.from({ length: 500 }, (_, n) => ({ ...items[0], id: String(begin + n + 1) }));
    return route.fulfill({ json: { items: rows, ...(begin + 500 < 10_000 ? { next: String(begin + 500) } : {}) } });
  });
  await page.goto(`${world.url}/instances?q=date:yesterday`);
  await page.getByText("500 instances, and more").waitFor();
  expect(asked).toBe(1);
  const list = page.getByRole("region", { name: "Instances, newest plan time first" });
  await expect
    .poll(async () => {
      await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
      return page.getByText("10000 instances").isVisible();
    })
    .toBe(true);
  await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.locator('a[href="/instances/10000"]').waitFor();
  expect(await page.locator(".rows a.line").count()).toBeLessThan(80);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a log of 100 MB does not hurt", async () => {
  const { page, wrongs } = await visit(browser);
  const size = 100_000_000;
  const line = `${"0123456789".repeat(9)}012345678\n`;
  await page.route("**/api/v1/attempts/*/log*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    const offset = Number(query.get("offset"));
    const length = Math.max(0, Math.min(Number(query.get("limit")), size - offset));
    const text = line.repeat(Math.ceil(length / 100) + 1).slice(offset % 100, (offset % 100) + length);
    return route.fulfill({ body: text, headers: { "X-Log-Size": String(size), "X-Log-Complete": String(offset + length >= size) } });
  });
  const begin = Date.now();
  await page.goto(`${world.url}/instances/${await world.idOf("job:long date:yesterday")}?tab=log`);
  await page.getByText("95.4 MiB, complete").waitFor();
  await page.locator(".log .line").first().waitFor();
  const shown = Date.now() - begin;
  const text = page.locator(".log .text");
  for (let n = 0; n < 20; n++) {
    await text.evaluate((box) => box.scrollTo(0, 0));
    await page.waitForTimeout(100);
  }
  const heap = await page.evaluate(() => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1e6);
  console.info(
    `100 MB log: shown after ${shown} ms, heap ${heap.toFixed(0)} MB, ${await page.locator(".log .line").count()} lines in the document`,
  );
  expect(await page.locator(".log .line").count()).toBeLessThan(120);
  expect(heap).toBeLessThan(120);
  await page.getByLabel("Search the log").fill("nothing like it");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByText("No line matches.").waitFor({ timeout: 60_000 });
  expect(wrongs).toEqual([]);
  await page.context().close();
});
