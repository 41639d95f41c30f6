import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serious } from "./serious";
import { launch, settled, until, visit, World } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));
const binary = process.env.ALMANAC_TEST_BINARY ?? fileURLToPath(new URL("../../../bin/almanac", import.meta.url));
const fill = fileURLToPath(new URL("fill", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "almanac-wizard-"));

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ empty: true }), launch()]);
  await world.stop();
  await world.serve([fill]);
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

const plan = (query: string) => `${world.url}/backfills/new?${query}&step=review`;

const send = <T>(path: string, body: unknown) => world.post<T>(path, body);

/** filled plans and applies a backfill without the page. */
async function filled(request: object, note = "elsewhere"): Promise<string> {
  const made = await send<{ id: string; instances?: object[] }>("/api/v1/backfills/plan", request);
  const { id } = await send<{ id: string }>("/api/v1/backfills", { plan: { ...made, instances: undefined }, note });
  return id;
}

test("a thousand instances are planned, looked at, applied, held, paused, let go on, and end", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(world.url);
  await page.getByRole("link", { name: "Backfills" }).click();
  await page.getByRole("link", { name: "New backfill" }).click();
  await page.getByRole("button", { name: "Next: Days" }).click();
  await page.getByText("Choose at least one job.").waitFor();
  await page.getByLabel("Find jobs").fill("ods");
  await page.getByRole("button", { name: "fill/ods" }).click();
  await page.getByRole("combobox", { name: "Also downstream" }).selectOption("all");
  await page.getByLabel("fill/report").waitFor();
  await page.getByRole("button", { name: "Next: Days" }).click();
  await page.getByLabel("First day").fill("2026-01-01");
  await page.getByLabel("Last day, included").fill("2026-09-07");
  await page.getByText("250 days").waitFor();
  await page.getByRole("button", { name: "Next: How it runs" }).click();
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  await page.getByLabel("Opens").fill(clock(2));
  await page.getByLabel("Closes").fill(clock(3));
  await page.getByRole("button", { name: "Next: Review and apply" }).click();
  await page.getByRole("button", { name: "1,000 in", exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("down")).toBe("all");

  await page.getByRole("button", { name: "fill/report", exact: true }).click();
  await page.getByText("250 instances").waitFor();
  await page.getByLabel("Find", { exact: true }).fill("2026-09-07");
  await page.getByText("1 instance").waitFor();
  await page.getByText("fill/dwd_stock@2026-09-07T01:00:00Z (natural-day): in this backfill").waitFor();
  await page.reload(); // the address is what was seen
  await page.getByText("1 instance").waitFor();

  await page.getByLabel("Why (kept in the history)").fill("<img src=x onerror=alert(3)> the source was repaired");
  await page.getByRole("button", { name: "Apply: run exactly these 1000" }).click();
  await page.getByRole("heading", { name: /^Backfill bf-/ }).waitFor();
  await page.getByText("<img src=x onerror=alert(3)> the source was repaired").first().waitFor();
  await page.getByText(/Nothing more of it starts just now: its window/).waitFor();
  await page.getByText("0 of 1000 instances have ended").first().waitFor();

  await page.getByRole("button", { name: "Pause…" }).click();
  await page.getByText("None of the 1000 that wait will start").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("paused", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("At most").fill("0");
  await dialog.getByText("Two whole numbers").waitFor();
  await dialog.getByLabel("At least").fill("2");
  await dialog.getByLabel("At most").fill("4");
  await dialog.getByLabel("Opens").fill("");
  await dialog.getByLabel("Closes").fill("");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByText("share 2..4").waitFor();
  await page.getByRole("button", { name: "Resume…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await page.getByText("1000 of 1000 instances have ended").first().waitFor({ timeout: 50_000 }); // by the stream alone
  await page.getByText("ended", { exact: true }).waitFor();
  await page.screenshot({ path: `${shots}backfill-ended-1280.png` });
  await page.getByRole("link", { name: "Its instances" }).click();
  await page.getByText("500 instances, and more").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a failure, what waits, and cancelling are seen as they happen", async () => {
  const { page, wrongs } = await visit(browser);
  const id = await filled({ jobs: ["fill/fails", "fill/slow"], from: "2025-03-01", to: "2025-03-20", parallel: 1 });
  await page.goto(`${world.url}/backfills/${id}`);
  await page.getByText("failed: exit 3 after attempt 1").first().waitFor();
  await page.getByText("Next is").waitFor();
  await page.getByRole("link", { name: /^2025-03-01: .*1 failed/ }).waitFor();
  await page.getByRole("button", { name: "Cancel backfill…" }).click();
  await page.getByText("This cannot be taken back").waitFor();
  await page.getByRole("checkbox", { name: /Also stop the/ }).check();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel backfill" }).click();
  await page.getByText("cancelled", { exact: true }).first().waitFor({ timeout: 20_000 });
  await page.getByRole("link", { name: "Backfills" }).click();
  await page.getByRole("region", { name: "Backfills, the newest first" }).getByText("cancelled").first().waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a plan that does not hold any more is refused, and compared with what is there now", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(plan("job=fill%2Falone&from=2025-05-01&to=2025-05-03"));
  await page.getByRole("button", { name: "Apply: run exactly these 3" }).waitFor();
  await filled({ jobs: ["fill/alone"], from: "2025-05-02", to: "2025-05-02" });
  await page.getByRole("button", { name: "Apply: run exactly these 3" }).click();
  await page.getByText("Nothing was applied: the world has changed").waitFor();
  await page.getByText("fill/alone has other instances").first().waitFor();
  await page.getByRole("alert").getByRole("button", { name: "Plan again" }).click();
  await page.getByRole("heading", { name: "What has changed since" }).waitFor();
  await page.getByRole("cell", { name: "fill/alone 2025-05-02 01:00" }).waitFor();
  await page.getByRole("cell", { name: /^out: (satisfied|open)/ }).waitFor();
  await page.getByRole("button", { name: "Apply: run exactly these 2" }).click();
  await page.getByText("2 of 2 instances have ended").first().waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a plan is saved as the program saves it, opened again, and one that was changed is told", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(plan("job=fill%2Fods&from=2025-06-01&to=2025-06-03&down=1"));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save the plan as a file" }).click(),
  ]);
  const saved = join(scratch, download.suggestedFilename());
  await download.saveAs(saved);
  const mine = join(scratch, "mine.json");
  execFileSync(binary, [
    "backfill",
    "plan",
    "fill/ods",
    "--from",
    "2025-06-01",
    "--to",
    "2025-06-03",
    "--downstream",
    "1",
    "--select",
    "missing,failed",
    "-o",
    mine,
    "--data",
    world.dir,
  ]);
  const text = (file: string) => readFileSync(file, "utf8").replace(/"id": "[^"]*"|"at": "[^"]*"/g, "");
  expect(text(saved)).toBe(text(mine));

  await page.locator("input[type=file]").setInputFiles(saved);
  await page.getByText("still holds").waitFor();
  const list = JSON.parse(readFileSync(saved, "utf8"));
  list.instances[0].why = "satisfied";
  const spoilt = join(scratch, "spoilt.json");
  writeFileSync(spoilt, JSON.stringify(list));
  await page.locator("input[type=file]").setInputFiles(spoilt);
  await page.getByText("This file was changed after it was saved").waitFor();
  expect(await page.getByRole("button", { name: "Apply: run" }).isDisabled()).toBe(true);
  writeFileSync(spoilt, '{"format": "almanac-backfill/1", "jobs": [{"workflow": "<script>"}]}');
  await page.locator("input[type=file]").setInputFiles(spoilt);
  await page.getByText("This file is no saved plan of a backfill.").waitFor();

  execFileSync(binary, ["backfill", "apply", saved, "--data", world.dir]);
  await page.locator("input[type=file]").setInputFiles(saved);
  await page.getByText("Planned now, it would not be what it was").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what is wrong is said beside it, before and after the server's answer, with a way on", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(plan("job=fill%2Falone&job=fill%2Fnone&from=2026-01-02&to=2026-01-01&priority=11&min=4&max=2"));
  await page.getByText("The plan still needs this:").waitFor();
  for (const words of ["The last day is before the first.", "1 (last) to 9 (first), or nothing.", "Two whole numbers"])
    await page.getByText(words).waitFor();
  await page.getByRole("button", { name: "Days", exact: true }).first().click();
  await page.getByLabel("Last day, included").fill("2026-01-05");
  await page.goto(plan("job=fill%2Falone&from=2026-01-01&to=2999-01-01"));
  await page.getByText("the year 2999 is out of range; allowed is 1900 to 2200").first().waitFor();
  await page.goto(plan("job=fill%2Falone&job=fill%2Fnone&from=2170-01-01&to=2199-01-01&steps=nope"));
  await page.getByText("there is no job fill/none").first().waitFor();
  await page.getByText("Correct it in").waitFor();
  await page.getByRole("navigation", { name: "Steps" }).getByRole("button", { name: /Days/ }).click();
  await page.getByText("what is to come is planned by itself").waitFor();
  await page
    .getByRole("navigation", { name: "Steps" })
    .getByRole("button", { name: /How it runs/ })
    .click();
  await page.getByText('fill/alone has no step "nope"').waitFor();
  await page.getByRole("navigation", { name: "Steps" }).getByRole("button", { name: /Jobs/ }).click();
  await page.getByText("there is no job fill/none").first().waitFor();
  await page.getByRole("button", { name: "Leave fill/none out" }).click();
  await page.goto(plan("job=fill%2Fminutely&from=1980-01-01&to=2026-10-01"));
  await page
    .getByText(/the range holds more than \d+ instances; choose fewer days or fewer jobs/)
    .first()
    .waitFor();
  await page.goto(plan("job=fill%2Freport&from=2025-07-01&to=2025-07-02"));
  await page.getByText("2 are left out because what they wait for").waitFor();
  expect(await page.getByRole("button", { name: "Nothing to apply" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Take all upstream in" }).click();
  await page.getByRole("button", { name: "Apply: run exactly these 8" }).waitFor();
  await page.goto(`${world.url}/backfills/bf-nothing`);
  await page.getByText("There is nothing here").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("by keyboard alone", async () => {
  const { page, wrongs } = await visit(browser);
  const key = (...names: string[]) => names.reduce((before, name) => before.then(() => page.keyboard.press(name)), Promise.resolve());
  const tabTo = async (words: RegExp) => {
    for (let n = 0; n < 60; n++) {
      const name = await page.evaluate(() => {
        const at = document.activeElement;
        if (at === null || ["BODY", "MAIN"].includes(at.tagName)) return "";
        return at instanceof HTMLElement && at.dataset.day !== undefined
          ? at.dataset.day
          : `${at?.getAttribute("aria-label") ?? ""} ${at?.textContent ?? ""} ${(at as HTMLInputElement | null)?.labels?.[0]?.textContent ?? ""}`;
      });
      if (words.test(name)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`no way to ${words}`);
  };
  await page.goto(world.url);
  await page.getByText("What is wrong now").waitFor();
  await key("g", "b");
  await page.getByRole("link", { name: "New backfill" }).waitFor();
  await tabTo(/New backfill/);
  await key("Enter");
  await page.getByLabel("Find jobs").waitFor();
  await key("/");
  await page.keyboard.type("alone");
  await page.getByRole("button", { name: "fill/alone" }).waitFor();
  await key("Enter");
  await page.getByRole("button", { name: "Leave fill/alone out" }).waitFor();
  await tabTo(/Next: Days/);
  await key("Enter");
  await tabTo(/^ ?Yesterday/);
  await key("Enter");
  await page.getByText("1 day").waitFor();
  const day = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.day);
  await tabTo(/^\d{4}-\d{2}-\d{2}/);
  const from = await day();
  await key("PageUp", "ArrowUp", "ArrowLeft", "Enter", "ArrowRight", "Enter");
  await page.getByText("2 days").waitFor();
  expect(await day()).not.toBe(from);
  await tabTo(/Straight to the review/);
  await key("Enter");
  await page.getByRole("button", { name: "Apply: run exactly these 2" }).waitFor();
  await tabTo(/Instances of the plan/);
  await key("ArrowDown");
  expect(await page.getByRole("option", { selected: true }).getAttribute("aria-posinset")).toBe("2");
  await tabTo(/Apply: run exactly/);
  await key("Enter");
  await page.getByText("2 of 2 instances have ended").first().waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("jobs are chosen by a pattern, on the graph, and from where one stands", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/jobs/fill/dwd_orders`);
  await page.getByRole("link", { name: "Backfill…" }).click();
  await page.getByRole("button", { name: "Leave fill/dwd_orders out" }).waitFor();
  await page.getByLabel("Find jobs").fill("job:dwd_*");
  await page.getByLabel("Find jobs").press("Enter");
  await page.getByRole("button", { name: "Leave fill/dwd_stock out" }).waitFor();
  await page.getByRole("button", { name: "As a graph" }).click();
  await page.locator('[data-pick="fill/report"]').check();
  await page.waitForURL(/down=fill%2Freport/);
  await page.locator(".ticks").getByLabel("fill/report").uncheck();
  expect(await page.locator('[data-pick="fill/report"]').isChecked()).toBe(false);
  expect(new URL(page.url()).searchParams.get("graph")).toBe("1");
  await page.reload();
  await page.getByRole("group", { name: "Jobs to choose" }).waitFor(); // the address restores it
  await page.screenshot({ path: `${shots}wizard-graph-1280.png` });
  await filled({ jobs: ["fill/alone"], dates: ["2025-08-05"] });
  await page.goto(`${world.url}/instances/${await world.idOf("job:alone date:2025-08-05")}`);
  await page.getByRole("link", { name: "Backfill…" }).click();
  await page.getByRole("button", { name: "Next: Days" }).click();
  expect(await page.getByLabel("First day").inputValue()).toBe("2025-08-05");
  await page.getByRole("button", { name: "Single days" }).click();
  await page.locator('[data-day="2025-08-07"]').click();
  await page.waitForURL(/dates=2025-08-05%2C2025-08-07/);
  await page.goBack(); // by steps
  await page.getByLabel("Find jobs").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  test("every page can be read by everybody", async () => {
    const { page, wrongs } = await visit(browser, { dark: theme === "dark" });
    const id = await filled({
      jobs: ["fill/fails", "fill/alone"],
      from: "2024-01-01",
      to: theme === "dark" ? "2024-01-15" : "2024-01-09",
      select: ["all"],
    });
    const around = "job=fill%2Fods&from=2025-09-01&to=2025-09-05&down=all";
    const places: [string, string, string][] = [
      ["list", "/backfills", "fill/alone"],
      ["jobs", `/backfills/new?${around}`, "Also downstream"],
      ["days", `/backfills/new?${around}&step=days`, "What of these days"],
      ["how", `/backfills/new?${around}&step=how&min=4&max=2`, "Two whole numbers"],
      ["review", `/backfills/new?${around}&step=review`, "20 instances"],
      ["backfill", `/backfills/${id}`, "failed: exit 3"],
    ];
    for (const [name, path, words] of places) {
      await page.goto(world.url + path);
      await page.getByText(words).first().waitFor();
      await settled(page);
      await page.screenshot({ path: `${shots}wizard-${name}-${theme}-1280.png` });
      expect(await serious(page), name).toEqual([]);
      if (name === "jobs") {
        await page.getByRole("button", { name: "As a graph" }).click();
        await page.locator('[data-pick="fill/ods"]').waitFor();
        await page.waitForTimeout(300);
        await page.screenshot({ path: `${shots}wizard-graph-${theme}-1280.png` });
        expect(await serious(page), "the graph").toEqual([]);
      }
      expect(await page.locator("main img, main script").count()).toBe(0);
    }
    expect(wrongs).toEqual([]);
    await page.context().close();
  });
});

test("in Chinese the wizard is in Chinese", async () => {
  const { page, wrongs } = await visit(browser, { language: "zh-CN" });
  await page.goto(plan("job=fill%2Freport&from=2025-10-01&to=2025-10-05"));
  await page.getByText("包括所有上游").waitFor();
  await page.getByText("上游缺失").first().waitFor();
  expect(await page.locator("main").textContent()).not.toMatch(/wizard\.|plan\./);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a plan of 100,000 instances is a list that scrolls", async () => {
  const { page, wrongs } = await visit(browser);
  const begin = Date.now();
  await page.goto(plan("job=fill%2Fminutely&from=2025-01-01&to=2025-03-11"));
  await page.getByRole("button", { name: "Apply: run exactly these 100800" }).waitFor({ timeout: 40_000 });
  const shown = Date.now() - begin;
  const list = page.getByRole("listbox", { name: "Instances of the plan" });
  await list.focus();
  await page.keyboard.press("End");
  await page.getByRole("option", { selected: true }).getByText("2025-03-11").waitFor();
  expect(await page.getByRole("option").count()).toBeLessThan(60);
  const typed = Date.now();
  await page.getByLabel("Find", { exact: true }).fill("2025-02-10T03");
  await page.getByText("60 instances").waitFor();
  await list.press("End");
  await page.getByRole("option", { selected: true }).getByText("2025-02-10 03:59").waitFor();
  console.info(`100,800 instances: planned and shown after ${shown} ms, filtered after ${Date.now() - typed} ms`);
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a viewer may plan and save, and is told who applies", async () => {
  const guarded = await World.start({ empty: true, dev: false });
  try {
    await guarded.stop();
    const token = execFileSync(binary, ["token", "create", "--name", "watcher", "--role", "viewer", "--data", guarded.dir]).toString();
    const secret = /alm_[A-Za-z0-9_-]+/.exec(token)?.[0] ?? "";
    await guarded.serve([fill]);
    const { page, wrongs } = await visit(browser);
    await page.goto(`${guarded.url}/backfills/new?job=fill%2Falone&from=2025-01-01&to=2025-01-02&step=review`);
    await page.getByRole("dialog", { name: "A token, please" }).waitFor();
    await page.getByRole("dialog").getByLabel("Token").fill(secret);
    await page.getByRole("button", { name: "Enter" }).click();
    const apply = page.getByRole("button", { name: "Apply: run exactly these 2" });
    await apply.and(page.locator("[aria-disabled=true]")).waitFor();
    await apply.press("Enter");
    await page.getByText("This needs the role").last().waitFor();
    await page.getByText("applying is for operators. Save the plan and give it to one: almanac backfill apply").waitFor();
    await until(async () => (await page.getByRole("button", { name: "Save the plan as a file" }).isEnabled()) === true);
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await guarded.end();
  }
});
