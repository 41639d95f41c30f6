import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serious } from "./serious";
import { launch, settled, visit, World } from "./world";

const asks = fileURLToPath(new URL("asks", import.meta.url));

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ empty: true }), launch()]);
  await world.stop();
  await world.serve([asks]);
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

async function asked(dark = false) {
  const visited = await visit(browser, { dark });
  await visited.page.goto(`${world.url}/jobs/asks/load`);
  await visited.page.getByRole("button", { name: "Run now" }).click();
  await visited.page.getByRole("dialog").waitFor();
  return visited;
}

test("the list of jobs says when each is due", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/jobs`);
  const leap = page.getByRole("link", { name: "asks/leap" });
  await leap.getByText(/^20\d\d-02-29 03:00$/).waitFor();
  await leap.getByText("by cron expression 0 3 29 2 *, in UTC.").waitFor();
  await page.getByRole("link", { name: "asks/load" }).getByText("on demand only.").waitFor();
  expect(wrongs).toEqual([]);
});

test("a job with parameters of every type is started by its form", async () => {
  const { page, wrongs } = await asked();
  const form = page.getByRole("dialog");
  await form.getByText("The day to load <b>now</b>; a date").waitFor();
  await form.getByLabel("day").fill("2026-02-28");
  await form.getByLabel("us", { exact: true }).check();
  await form.getByLabel("eu", { exact: true }).check();
  await form.getByLabel("tables").fill("orders\n\nline items\n");
  await form.getByLabel("full").selectOption("true");
  await form.getByLabel("code").fill("ABC");
  await form.getByLabel("token").fill("hunter2");
  expect(await form.getByLabel("token").getAttribute("type")).toBe("password");
  await form.getByRole("button", { name: "Run now" }).click();
  const made = await page.getByText(/Instance \d+ was made/).textContent();
  const id = /\d+/.exec(made ?? "")?.[0];
  const instance = (await (await fetch(`${world.url}/api/v1/instances/${id}`)).json()) as { params: Record<string, string> };
  expect(instance.params).toEqual({
    day: "2026-02-28",
    regions: '["eu","us"]',
    tables: '["orders","line items"]',
    full: "true",
    code: "ABC",
    token: "***",
  });
  expect(wrongs).toEqual([]);
});

describe("what is wrong", () => {
  test("with a field is told there, before anything is sent", async () => {
    const { page, wrongs } = await asked();
    const form = page.getByRole("dialog");
    await form.getByRole("button", { name: "Run now" }).click();
    expect(await form.getByLabel("day").evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true);
    await form.getByLabel("day").fill("2026-02-28");
    await form.getByLabel("limit").fill("1001");
    await form.getByRole("button", { name: "Run now" }).click();
    expect(await form.getByLabel("limit").evaluate((field: HTMLInputElement) => field.validity.rangeOverflow)).toBe(true);
    expect(await form.isVisible()).toBe(true);
    expect(wrongs).toEqual([]);
  });

  test("with a value is told by the server, all at once, and what was typed stays", async () => {
    const { page } = await asked();
    const form = page.getByRole("dialog");
    await form.getByLabel("day").fill("2026-02-28");
    await form.getByLabel("code").fill("abc");
    await form.getByRole("button", { name: "Run now" }).click();
    await form.getByText('the parameter code is "abc", which does not match [A-Z]{2,8}').waitFor();
    expect(await form.getByLabel("code").inputValue()).toBe("abc");
    await form.getByLabel("code").fill("");
    await form.getByRole("button", { name: "Run now" }).click();
    await page.getByText(/Instance \d+ was made/).waitFor();
  });
});

test.each([false, true])("the form has no serious finding (dark: %s)", async (dark) => {
  const { page } = await asked(dark);
  await settled(page);
  expect(await serious(page)).toEqual([]);
});
