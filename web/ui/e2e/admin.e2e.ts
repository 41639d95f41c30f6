import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serious } from "./serious";
import { launch, settled, visit, World } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));

let world: World; // asks for tokens
let browser: Browser;
let folder: string; // of its own, so that its definitions can change
let viewer: string;

const jobs = (extra: string) => `workflow: shop
description: <img src=x onerror=alert(1)>
defaults:
  startTime: 2026-01-01T00:00:00Z
  recurrence: { frequency: day, schedule: { hours: [0], minutes: [0] } }
  misfire: runAll
jobs:
  "source":
    description: <script>alert(document.domain)</script>
    action: { type: shell, command: "echo gone >&2; exit 3" }
  middle:
    dependsOn: [source]
    deadline: PT1M
    action: { type: shell, command: echo done }
  last:
    dependsOn: [middle]
    action: { type: shell, command: echo done }
  sleeper:
    trigger: manual
    action: { type: shell, command: sleep 60 }
${extra}`;

const doomed = `  doomed:
    trigger: manual
    action: { type: none }
`;

const send = <T>(path: string, body: unknown, token?: string) => world.post<T>(path, body, token);

interface Made {
  id: string;
  secret: string;
}

const make = (name: string, role: string) => send<Made>("/api/v1/tokens", { name, role });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "almanac-admin-"));
  writeFileSync(join(folder, "shop.yaml"), jobs(doomed));
  [world, browser] = await Promise.all([World.start({ dev: false, seed: folder }), launch()]);
  viewer = (await make('<img src=x onerror="alert(11)">', "viewer")).secret;
  await send("/api/v1/jobs/shop/sleeper/trigger", { note: "<b>why not</b>" });
  await send("/api/v1/jobs/shop/source/trigger", {});
  for (let n = 0; n < 100; n++) {
    const { items } = await world.api<{ items: object[] }>("/api/v1/incidents");
    if (items.length > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
  if (folder) rmSync(folder, { recursive: true });
});

/** enter opens a page with a token in the tab. */
async function enter(path: string, token = world.token, options: Parameters<typeof visit>[1] = {}) {
  const seen = await visit(browser, options);
  await seen.page.addInitScript((secret) => {
    if (sessionStorage.getItem("entered") === null) {
      sessionStorage.setItem("entered", "yes");
      sessionStorage.setItem("almanac.token", secret);
    }
  }, token);
  await seen.page.goto(world.url + path);
  return seen;
}

const incident = async () => (await world.api<{ items: { id: string }[] }>("/api/v1/incidents")).items[0]?.id ?? "0";

const places: [string, () => Promise<string>, string][] = [
  ["home", async () => "/", "due by"],
  ["incidents", async () => "/incidents", "1 incident"],
  ["incident", async () => `/incidents/${await incident()}`, "What belongs to it"],
  ["acknowledge", async () => `/incidents/${await incident()}?do=ack`, "It stays open until it is over"],
  ["tokens", async () => "/admin", "yours"],
  ["newtoken", async () => "/admin?tab=tokens&do=new", "For whom or what"],
  ["audit", async () => "/admin?tab=audit", "is as it was written"],
  ["workers", async () => "/admin?tab=workers", "this one"],
  ["health", async () => "/admin?tab=health", "Last turn"],
  ["storage", async () => "/admin?tab=storage", "Write-ahead log"],
  ["sinks", async () => "/admin?tab=sinks", "This server tells nobody"],
];

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  test.each(places)("%s can be read by everybody", async (name, path, words) => {
    for (const width of [1280, 1920]) {
      const { page, wrongs } = await enter(await path(), world.token, { dark: theme === "dark", width });
      await page.getByText(words).first().waitFor();
      await settled(page);
      await page.screenshot({ path: `${shots}admin-${name}-${theme}-${width}.png` });
      if (width === 1280) expect(await serious(page)).toEqual([]);
      expect(await page.locator("main img, main script, main iframe").count()).toBe(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the window").toBe(true);
      expect(wrongs).toEqual([]);
      await page.context().close();
    }
  });
});

test("a newcomer finds why an instance waits in three clicks", async () => {
  const { page, wrongs } = await enter("/");
  let clicks = 0;
  await page.exposeFunction("clicked", () => clicks++);
  await page.evaluate(() => addEventListener("click", () => (window as unknown as { clicked: () => void }).clicked(), true));
  await page.getByText("What is wrong now").waitFor();
  await page.getByText("failed: exit 3 after attempt 1").first().waitFor(); // it stands on Home already
  await page
    .getByRole("main")
    .getByRole("link", { name: /^shop\/(middle|last)/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "Root causes" }).waitFor();
  await page.getByText("failed: exit 3 after attempt 1").first().waitFor();
  await page
    .getByRole("main")
    .getByRole("link", { name: /^shop\/source/ })
    .first()
    .click();
  await page.getByRole("tab", { name: "Attempts and log" }).click();
  await page.getByText("gone", { exact: true }).waitFor();
  await expect.poll(() => clicks).toBeLessThanOrEqual(3);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a token is made, shown once, used, and ends at once when it is revoked", async () => {
  const { page, wrongs } = await enter("/admin");
  await page.getByRole("button", { name: "New token…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("For whom or what").fill("grafana <b>");
  await dialog.getByLabel("Role").selectOption("operator");
  await dialog.getByLabel("Why (kept in the history)").fill("for the board");
  await dialog.getByRole("button", { name: "Make it" }).click();
  await dialog.getByText("it is shown this once").waitFor();
  const secret = (await dialog.locator("code").textContent()) ?? "";
  expect(secret).toMatch(/^alm_/);
  await page.keyboard.press("Escape"); // by mistake
  expect(await dialog.isVisible()).toBe(true);
  await dialog.getByRole("button", { name: "I have it" }).click();
  await page.getByRole("cell", { name: "grafana <b>", exact: true }).waitFor();
  expect(await page.content()).not.toContain(secret);

  const other = await enter("/instances", secret);
  await other.page.getByText("Live", { exact: true }).waitFor();
  await page
    .getByRole("row", { name: /grafana/ })
    .getByRole("button", { name: /Revoke/ })
    .click();
  await dialog.getByText("let in no more").waitFor();
  await dialog.getByRole("button", { name: "Revoke it" }).click();
  await page.getByText("The token of grafana <b> is revoked").waitFor();
  await other.page.getByRole("dialog", { name: "A token, please" }).getByText("does not know this token").waitFor({ timeout: 10_000 });
  await page.getByRole("tab", { name: "Audit" }).click();
  await page
    .getByText(/token \d+ of grafana <b>, as operator/)
    .first()
    .waitFor();

  await page.getByRole("tab", { name: "Users and tokens" }).click();
  await page
    .getByRole("row", { name: /yours/ })
    .getByRole("button", { name: /Revoke/ })
    .click();
  await dialog.getByText("It is the token that you use now").waitFor();
  await dialog.getByRole("button", { name: "Revoke it" }).click();
  await dialog.getByText("it is the last valid token of an admin").waitFor();
  expect([...wrongs, ...other.wrongs]).toEqual([]);
  await page.context().close();
  await other.page.context().close();
});

test("what a viewer may not do is there, disabled, with the reason", async () => {
  const { page, wrongs } = await enter("/jobs/shop/sleeper", viewer);
  const run = page.getByRole("button", { name: "Run now" });
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe("true");
  expect(await run.getAttribute("title")).toContain("This needs the role operator; you (<img src=x onerror=");
  await run.click({ force: true });
  await page.locator(".toast").getByText("This needs the role operator").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.goto(`${world.url}/incidents/${await incident()}`);
  await expect.poll(() => page.getByRole("button", { name: "I know of it…" }).getAttribute("aria-disabled")).toBe("true");
  expect(await serious(page)).toEqual([]);
  await page.goto(`${world.url}/admin`);
  await page.getByText("Your token may not do this.").waitFor();
  await page.getByRole("alert").getByText("this needs the role admin").waitFor();
  await page.getByRole("tab", { name: "Health" }).click();
  await page.getByText("Last turn").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("an incident is known after one says so, with the keyboard alone", async () => {
  const { page, wrongs } = await enter("/");
  await page.getByText("What is wrong now").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  await page.waitForURL("**/incidents");
  await page.getByText("1 incident").waitFor();
  const at = () => page.evaluate(() => (document.activeElement?.id === "main" ? "" : (document.activeElement?.textContent ?? "")));
  for (let n = 0; n < 30 && !(await at()).includes("shop/source"); n++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/incidents\/\d+$/);
  await page.getByText("What belongs to it").waitFor();
  for (let n = 0; n < 30 && !(await at()).includes("I know of it"); n++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Note").fill("they know <i>");
  await page.keyboard.press("Enter");
  await page.getByText("it is recorded that you know").waitFor();
  await page.getByText("they know <i>").waitFor();
  await page.goto(world.url);
  await page.getByText("admin knows of it").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("the audit is filtered by its address, and its chain verified", async () => {
  const { page, wrongs } = await enter("/admin?tab=audit&action=trigger&actor=ADM");
  await page.getByText("shop/sleeper@").first().waitFor();
  await page.getByText("2 lines").waitFor();
  await page.getByLabel("Action").selectOption("token-created");
  await page.waitForURL(/action=token-created/);
  await page
    .getByText(/of <img src=x onerror="alert\(11\)">/)
    .first()
    .waitFor();
  await page.getByLabel("Who").fill("nobody at all");
  await page.keyboard.press("Enter");
  await page.getByText("Nobody did anything that matches.").waitFor();
  await page.getByRole("button", { name: "Verify what came since" }).click();
  await page.getByText("is as it was written").waitFor();
  await page.goto(`${world.url}/admin?tab=audit&action=${encodeURIComponent("<script>")}`);
  await page.getByText("an action is a word such as rerun").waitFor();
  await page.getByLabel("Action").selectOption("");
  await page.getByText("shop/sleeper@").first().waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a job that is removed under your eyes says so, and its page goes on", async () => {
  const { page, wrongs } = await enter("/jobs/shop/doomed");
  await page.getByRole("button", { name: "Run now" }).waitFor();
  writeFileSync(join(folder, "shop.yaml"), jobs(""));
  world.reload();
  await page.getByText("This job was removed. Its instances and versions stay.").waitFor({ timeout: 15_000 });
  expect(await page.getByRole("button", { name: "Run now" }).count()).toBe(0);
  await page.goto(world.url);
  await page.getByText("5 jobs: 0 added, 0 changed, 1 removed").or(page.getByText("1 removed")).first().waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a selector is marked where it cannot be read; an id or a page that is not there has a way on", async () => {
  const { page, wrongs } = await enter(`/instances?q=${encodeURIComponent("job:作业 stat:failed date:today")}`);
  await page.getByText("did you mean state:?").waitFor();
  expect(await page.locator("mark").allTextContents()).toEqual(["stat:failed"]);
  for (const path of ["/instances/999999", "/incidents/999999", "/jobs/shop/none", "/no/such/page"]) {
    await page.goto(world.url + path);
    await page.getByText("There is nothing here").waitFor();
    await page.getByRole("link", { name: "Go to the home page" }).click();
    await page.getByText("What is wrong now").waitFor();
  }
  await page.goto(`${world.url}/incidents/abc`);
  await page.getByText("invalid integer").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("in Chinese all of it is in Chinese", async () => {
  const { page, wrongs } = await enter("/admin?tab=health", world.token, { language: "zh-CN" });
  await page.getByText("正常工作的条件").waitFor();
  await page.screenshot({ path: `${shots}admin-health-zh-1280.png` });
  await page.getByRole("tab", { name: "用户与令牌" }).click();
  await page.getByText("新建令牌…").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("when the server comes back, the stream goes on by the last id", async () => {
  const { page, wrongs } = await enter("/");
  await page.getByText("Live", { exact: true }).waitFor();
  const asked: (string | undefined)[] = [];
  let heard = 0; // how often something was asked for because of a change
  page.on("request", (request) => {
    if (request.url().endsWith("/api/v1/stream")) asked.push(request.headers()["last-event-id"]);
    if (request.url().endsWith("/api/v1/status")) heard++;
  });
  for (let n = 0; n < 2; n++) {
    // Something to have an id of. What is asked for the second time comes after the event of the first.
    const before = heard;
    await send("/api/v1/jobs/shop/source/trigger", {});
    await expect.poll(() => heard).toBeGreaterThan(before);
  }
  await world.stop();
  await page.getByText("The server does not answer.").waitFor({ timeout: 30_000 });
  expect(await page.getByText("What is wrong now").isVisible()).toBe(true);
  await world.serve([folder]);
  await page.getByText("The server does not answer.").waitFor({ state: "hidden", timeout: 30_000 });
  await page.getByText("Live", { exact: true }).waitFor({ timeout: 30_000 });
  expect(Number(asked.at(-1))).toBeGreaterThan(0);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("an empty server says what to do first", async () => {
  const empty = await World.start({ empty: true });
  try {
    const { page, wrongs } = await visit(browser);
    await page.goto(empty.url);
    await page.getByText("This server has no jobs. What to do first:").waitFor();
    await page.getByText("almanac validate pipelines").waitFor();
    await page.screenshot({ path: `${shots}admin-empty-light-1280.png` });
    expect(await serious(page)).toEqual([]);
    for (const [path, words] of [
      ["/incidents", "Nothing is in trouble."],
      ["/admin?tab=audit", "Nobody did anything that matches."],
      ["/admin?tab=workers", "Nothing runs."],
      ["/admin?tab=storage", "nothing has ended yet"],
    ] as const) {
      await page.goto(empty.url + path);
      await page.getByText(words).waitFor();
    }
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await empty.end();
  }
});
