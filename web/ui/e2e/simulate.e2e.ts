import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serious } from "./serious";
import { launch, settled, visit, World } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));
const day = "/simulate?date=2030-06-03";
const orders = "night/orders@2030-06-03T01:00:00+02:00";

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ empty: true }), launch()]);
  await world.stop();
  await world.serve([fileURLToPath(new URL("seed-simulate", import.meta.url))]);
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

/** The measures of the chart, as a person sees them: the width of the labels, what stands above the lanes, and the height of a heading and of a lane. */
const [gutter, head, heading, lane] = [184, 78, 26, 24];

/** barAt is where a bar of the first row of a lane begins on the screen; the picture is 24 hours wide. */
async function barAt(page: Page, row: number, hours: number): Promise<{ x: number; y: number; hour: number }> {
  const box = await page.getByRole("application").boundingBox();
  if (!box) throw new Error("there is no chart");
  const width = await page.evaluate(() => document.querySelector(".lanes .scroll")?.clientWidth ?? 0);
  const hour = (width - gutter) / 24;
  return { x: box.x + gutter + hours * hour, y: box.y + head + heading + row * lane + 12, hour };
}

const address = (page: Page) => new URL(page.url()).searchParams;

test("tomorrow is played, and dragging the end of a bar shows what moves", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url + day);
  await page.getByText("11 of 11 end well").waitFor();
  await page.getByText("None yet: this is the day as it is expected.").waitFor();
  await page.getByText("Make a change: what moves by it is listed here.").waitFor();
  const bar = await barAt(page, 1, 1);
  await page.mouse.move(bar.x + 13, bar.y);
  await page.mouse.down();
  await page.mouse.move(bar.x + 13 + bar.hour * 3, bar.y, { steps: 5 });
  await page.getByText("night/orders 01:00 +3 h", { exact: true }).waitFor();
  await page.mouse.move(bar.x + 13 + bar.hour * 6, bar.y, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => address(page).getAll("delay")).toEqual([`${orders}=PT6H`]);
  await page.getByText("Newly late").waitFor();
  const moves = page.getByRole("tabpanel");
  await moves.getByText("3 instances do not go as they would").waitFor();
  expect(await moves.getByRole("button").allTextContents()).toEqual([
    "night/report 06:0007:00, missed by 3 min",
    "night/orders 01:00+6 h",
    "night/join 02:00+3 h 30 min",
    "night/report 06:00+1 h 2 min",
  ]);
  await page.screenshot({ path: `${shots}simulate-delay-light-1280.png` });

  // Dragged back, it is as it was.
  await page.mouse.move(bar.x + bar.hour * 6 - 2, bar.y);
  await page.mouse.down();
  await page.mouse.move(bar.x - bar.hour, bar.y, { steps: 5 });
  await page.mouse.up();
  await page.getByText("None yet: this is the day as it is expected.").waitFor();
  await expect.poll(() => address(page).getAll("delay")).toEqual([]);
  await page.goBack();
  await page.getByText("3 instances do not go as they would").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("everything can be done by the keyboard alone, and is told", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url + day);
  await page.getByText("11 of 11 end well").waitFor();
  const chart = page.getByRole("application", { name: "The day as it would go" });
  await page.getByRole("checkbox", { name: "Only jobs that move" }).isDisabled();
  await page.getByPlaceholder("Jobs whose names contain").focus();
  await page.keyboard.press("Tab");
  expect(await chart.evaluate((element) => element === document.activeElement)).toBe(true);
  const told = page.locator(".lanes [aria-live]");
  await page.keyboard.press("ArrowDown"); // into the picture: the heading
  for (let n = 0; n < 6 && !(await told.textContent())?.startsWith("night/orders"); n++) await page.keyboard.press("ArrowDown");
  expect(await told.textContent()).toBe("night/orders 01:00, succeeded, 01:00 – 01:01");
  await page.keyboard.press("d");
  const field = page.getByRole("textbox", { name: "Delay by" });
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type("soon");
  await page.keyboard.press("Enter");
  await page.getByText("Write a duration: 20 (minutes), 1h30, 45s or PT1H30M.").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("5h");
  await page.keyboard.press("Enter");
  await page.getByText("night/orders +5 h").or(page.getByText("night/orders 01:00 +5 h")).first().waitFor();
  await expect.poll(() => address(page).getAll("delay")).toEqual([`${orders}=PT5H`]);
  expect(await chart.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByText("3 instances do not go as they would").waitFor();
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => address(page).getAll("delay")).toEqual([`${orders}=PT5H30M`]);
  await page.getByText("night/report 06:00+32 min").waitFor();

  await page.keyboard.press("f");
  await page.getByText("2 never end").waitFor();
  await expect.poll(() => address(page).getAll("fail")).toEqual([orders]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await page.getByRole("heading", { name: "night/join 02:00" }).waitFor();
  expect(await told.textContent()).toMatch(/^night\/join 02:00, waiting, never starts, .*never ends any more$/);
  await page.getByText(/^night\/orders@.*, which is failed: made to fail after attempt 2/).waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("f");
  await expect.poll(() => address(page).getAll("fail")).toEqual([]);
  await page.getByText("11 of 11 end well").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what must hold is judged, a link is the day with its changes, and the command plays the same", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}${day}&slots=2&duration=night/clicks%3DPT40M&tab=asserts`);
  await page.getByText("Nothing is asserted yet.").waitFor();
  await page.getByLabel("What must hold").fill("night/report done by 06:01");
  await page.keyboard.press("Enter");
  await page.getByText("✓ holds").waitFor();
  await page.getByLabel("What must hold").fill("night/join done by 05:00");
  await page.keyboard.press("Enter");
  await page.getByText("does not hold").waitFor();
  await page.getByText(/night\/join@2030-06-03T02:00:00\+02:00 ends at/).waitFor();
  expect(await page.getByRole("tab", { name: /Assertions/ }).textContent()).toContain("✕ 1");
  const link = page.url();
  await page.goto(world.url);
  await page.goto(link);
  await page.getByText("does not hold").waitFor();
  await page.getByText("night/clicks takes 40 min").waitFor();
  expect(await page.locator(".commandline code").textContent()).toBe(
    "almanac simulate --date 2030-06-03 --slots 2 --duration night/clicks=PT40M --assert 'night/report done by 06:01' --assert 'night/join done by 05:00'",
  );
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator(".commandline").getByRole("button", { name: "Copy" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("--slots 2 --duration night/clicks=PT40M");

  await page.getByRole("tab", { name: "Moves" }).click();
  await page.getByRole("button", { name: /^night\/join 02:00/ }).click();
  await page.getByRole("heading", { name: "Critical path" }).waitFor();
  expect(await page.locator(".blamed button").count()).toBe(9);
  await page.getByRole("tab", { name: "Load" }).click();
  await page.getByRole("row", { name: /Pool warehouse 1 \/ 1 .*was/ }).waitFor();
  await page.getByRole("tab", { name: "Assumed" }).click();
  await page.getByText("2030-06-02 06:00").waitFor();
  await page.getByText("Nothing is known of how long these take").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a backfill is played beside the day, changes are made by name, and taken away", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url + day);
  await page.getByText("11 of 11 end well").waitFor();
  await page.getByText("Durations, backfill").click();
  const file = page.getByLabel("A backfill beside the day");
  await file.setInputFiles({ name: "no.json", mimeType: "application/json", buffer: Buffer.from('{"a":1}') });
  await page.getByText("This file is no saved plan").waitFor();
  const refs = JSON.stringify([{ job: "night/orders", planTime: "2030-06-01T01:00:00+02:00" }]);
  await file.setInputFiles({ name: "plan.json", mimeType: "application/json", buffer: Buffer.from(refs) });
  await page.getByText("backfill beside it: 1 instances of plan.json").waitFor();
  await page.getByText("12 of 12 end well").waitFor();
  expect(await page.locator(".commandline code").textContent()).toBe("almanac simulate --date 2030-06-03 --with-backfill plan.json");
  await page.getByText("Durations, backfill").click();
  await page.getByText("Change by name").click();
  await page.getByRole("combobox", { name: /^Change/ }).selectOption("fail");
  await page.getByLabel("Job, pattern or job@time").fill("night/cl*");
  await page.getByLabel("First attempts").fill("0");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText("Write a whole number from 1 on.").waitFor();
  await page.getByLabel("First attempts").fill("");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText("night/cl* fails").waitFor();
  await page.getByText("8 fail").waitFor();
  await page.getByRole("button", { name: "Take all away" }).click();
  await page.getByText("11 of 11 end well").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("the day without the changes is played with the same durations: the difference is only that of the change", async () => {
  const { page, wrongs } = await visit(browser);
  // How long what nobody knows takes is no change: by itself it makes no difference.
  await page.goto(`${world.url}${day}&guess=PT20M`);
  await page.getByText("11 of 11 end well").waitFor();
  await page.getByText("Make a change: what moves by it is listed here.").waitFor();
  // One job takes 5 minutes longer than that; nothing waits for it but time, and nothing else moves.
  await page.goto(`${world.url}${day}&guess=PT20M&duration=${encodeURIComponent("night/report=PT25M")}`);
  const moves = page.getByRole("tabpanel");
  await moves.getByText("night/report 06:00").first().waitFor();
  const told = await moves.getByRole("button").allTextContents();
  expect(told.filter((one) => !one.startsWith("night/report "))).toEqual([]);
  expect(told.some((one) => one.includes("+5 min"))).toBe(true);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what cannot be played has words and a way on", async () => {
  const { page, wrongs } = await visit(browser);
  const evil = encodeURIComponent("<img src=x onerror=alert(9)>");
  await page.goto(`${world.url}${day}&fail=night/nothing&delay=${evil}&assert=${evil}&days=many&at=${evil}`);
  await page.getByRole("alert").getByText("the request is not valid").waitFor();
  await page.goto(`${world.url}${day}&fail=night/nothing&delay=${evil}&assert=${evil}&at=${evil}`);
  await page.getByText("fail: there is no job night/nothing").waitFor();
  await page.getByText("<img src=x onerror=alert(9)> is not in the day that was played.").waitFor();
  await page.getByText("As of the last answer").waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  await page.getByRole("button", { name: "Take away: night/nothing fails" }).click();
  await page.getByRole("button", { name: /^Take away: <img src \+x onerror/ }).click();
  await page.getByRole("tab", { name: "Assertions" }).click();
  await page.getByRole("button", { name: "Take away: <img src=x onerror=alert(9)>" }).click();
  await page.getByText("As of the last answer").waitFor({ state: "detached" });
  await page.getByText("11 of 11 end well").waitFor();

  await page.route("**/api/v1/simulate", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({
        status: 503,
        code: "not_ready",
        title: "x",
        type: "x",
        detail: "another simulation is being played; one is played at a time",
      }),
    }),
  );
  await page.getByRole("button", { name: "Play again" }).click();
  await page.getByText("another simulation is being played").waitFor();
  expect(await page.getByText("11 of 11 end well").isVisible()).toBe(true);
  await page.unroute("**/api/v1/simulate");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("another simulation is being played").waitFor({ state: "detached" });

  await page.goto(`${world.url}/simulate?date=2000-01-01`);
  await page.getByText("Nothing is due on this day.").waitFor();
  await page.getByPlaceholder("1", { exact: true }).fill("99");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  test("the page can be read by everybody", async () => {
    for (const width of [1280, 1920]) {
      const { page, wrongs } = await visit(browser, { dark: theme === "dark", width });
      const changes = `&slots=2&duration=night/clicks%3DPT40M&delay=${encodeURIComponent(`${orders}=PT5H`)}&at=${encodeURIComponent("night/report@2030-06-03T06:00:00+02:00")}`;
      for (const tab of ["moves", "deadlines", "asserts", "load", "assumed"]) {
        await page.goto(`${world.url}${day}${changes}&tab=${tab}&assert=slots+below+3`);
        await page.getByRole("heading", { name: "night/report 06:00" }).waitFor();
        await settled(page);
        await page.screenshot({ path: `${shots}simulate-${tab}-${theme}-${width}.png` });
        if (width === 1280) expect(await serious(page), tab).toEqual([]);
      }
      await page.getByText("Change by name").click();
      if (width === 1280) expect(await serious(page)).toEqual([]);
      expect(wrongs).toEqual([]);
      await page.context().close();
    }
  });
});

test("in Chinese the page is in Chinese", async () => {
  const { page, wrongs } = await visit(browser, { language: "zh-CN" });
  await page.goto(`${world.url}${day}&delay=${encodeURIComponent(`${orders}=PT5H`)}`);
  await page.getByText("3 个实例与原来不同").waitFor();
  await page.screenshot({ path: `${shots}simulate-zh-1280.png` });
  expect(wrongs).toEqual([]);
  await page.context().close();
});
