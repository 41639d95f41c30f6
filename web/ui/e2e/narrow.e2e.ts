import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unlooked } from "./everypage";
import { misfits } from "./fit";
import { launch, settled, until, visit, World, yesterday } from "./world";

const shots = new URL("shots/", import.meta.url).pathname;
const workflow = "north-american-customer-profitability";
const later = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);

/** Of a phone, of a small one, and of a desk. */
const widths = [390, 320, 1280];

let world: World;
let browser: Browser;
const ids: Record<"report" | "load" | "steps" | "incident" | "backfill", string> = {
  report: "",
  load: "",
  steps: "",
  incident: "",
  backfill: "",
};
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ seed: "seed-narrow" }), launch()]);
  const plan = await world.post<object>("/api/v1/backfills/plan", {
    jobs: [`${workflow}/every-quarter-of-an-hour-clickstream`],
    from: "2026-02-01",
    to: "2026-02-02",
  });
  ids.backfill = (await world.post<{ id: string }>("/api/v1/backfills", { plan: { ...plan, instances: undefined } })).id;
  // Something has ended today, whatever the hour is, and something runs.
  for (const job of ["every-quarter-of-an-hour-clickstream", "extract-transform-and-load", "archive-for-a-long-time"])
    await world.post(`/api/v1/jobs/${workflow}/${job}/trigger`, {});
  await until(async () => {
    const { items } = await world.api<{ items: { id: string }[] }>("/api/v1/incidents");
    ids.incident = items[0]?.id ?? "";
    return ids.incident !== "";
  });
  const on = `date:yesterday`;
  ids.report = await world.idOf(`job:publish-the-daily-profitability-report ${on}`);
  ids.load = await world.idOf(`job:load-orders-of-all-regions-and-channels ${on}`);
  ids.steps = await world.idOf(`job:extract-transform-and-load ${on}`);
  await until(async () => {
    const status = await world.api<{ instances: Record<string, number> }>("/api/v1/status");
    return (status.instances.running ?? 0) === 1;
  });
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

const planned = (job: string) => encodeURIComponent(`${workflow}/${job}@${later}T02:00:00+08:00`);

/** Every page, with its tabs, and what shows that it is there. */
const places: [string, () => string, string][] = [
  ["home", () => "/", "almanac rerun"],
  ["day", () => `/day/${yesterday}`, "canvas"],
  ["today", () => "/day", "canvas"],
  ["instances", () => "/instances?q=date:yesterday", ".line"],
  ["instance", () => `/instances/${ids.report}`, ".cause"],
  ["failed", () => `/instances/${ids.load}`, "exit 3"],
  ["waits", () => `/instances/${ids.report}?tab=waits`, ".card"],
  ["log", () => `/instances/${ids.load}?tab=log`, ".log"],
  ["history", () => `/instances/${ids.load}?tab=history`, "start"],
  ["details", () => `/instances/${ids.load}?tab=details`, "Job version"],
  ["version", () => `/instances/${ids.load}?tab=version`, "#panel *"],
  ["steps", () => `/instances/${ids.steps}?tab=steps`, ".step-table"],
  ["step", () => `/instances/${ids.steps}?tab=steps&step=transform_into_the_reporting_schema`, ".step-table"],
  ["operation", () => `/instances/${ids.report}?do=freeze`, "dialog"],
  ["detach", () => `/instances/${ids.report}?do=detach`, "dialog"],
  ["planned", () => `/planned?i=${planned("publish-the-daily-profitability-report")}`, "Not written down yet"],
  ["jobs", () => "/jobs", ".line"],
  ["job", () => `/jobs/${workflow}/publish-the-daily-profitability-report`, ".month"],
  ["job-runs", () => `/jobs/${workflow}/load-orders-of-all-regions-and-channels`, ".month"],
  ["trigger", () => `/jobs/${workflow}/archive-for-a-long-time?do=trigger`, ".month"],
  ["definition", () => `/definitions/${workflow}`, "workflow"],
  ["definition-edit", () => `/definitions/${workflow}?edit=1`, "No mistakes"],
  ["simulate", () => "/simulate", "end well"],
  ["incidents", () => "/incidents", workflow],
  ["incident", () => `/incidents/${ids.incident}`, "What belongs to it"],
  ["graph", () => `/instances/${ids.report}/graph`, ".react-flow__node"],
  ["graph-list", () => `/instances/${ids.report}/graph?view=list`, "table"],
  ["graph-alone", () => `/instances/${ids.load}/graph`, ".react-flow__node"],
  ["graph-planned", () => `/graph?i=${planned("publish-the-daily-profitability-report")}`, ".react-flow__node"],
  ["graph-which", () => "/graph", "Which instance?"],
  ["backfills", () => "/backfills", ".rows, table"],
  ["backfill-new", () => "/backfills/new", "Next: Days"],
  ["backfill", () => `/backfills/${ids.backfill}`, "clickstream"],
  ["admin", () => "/admin?tab=health", "Last turn"],
  ["admin-audit", () => "/admin?tab=audit", "#panel *"],
  ["admin-tokens", () => "/admin?tab=tokens", "#panel *"],
  ["admin-workers", () => "/admin?tab=workers", "#panel *"],
  ["admin-sinks", () => "/admin?tab=sinks", "#panel *"],
  ["admin-storage", () => "/admin?tab=storage", "#panel *"],
  ["missing", () => "/instances/999999", "There is nothing here"],
];

test("every page that there is, is looked at", () => {
  expect(unlooked(places.map(([, path]) => path()))).toEqual([]);
});

test.each(places)("%s fits into a window of every width", async (name, path, ready) => {
  const { page, wrongs } = await visit(browser, { width: 390 });
  await page.goto(world.url + path());
  await page
    .locator(/^[.#]|^(canvas|table|dialog)/.test(ready) ? ready : `text=${ready}`)
    .first()
    .waitFor();
  const found: Record<number, string[]> = {};
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    await settled(page);
    await page.screenshot({ path: `${shots}narrow-${name}-${width}.png` });
    const misfit = await misfits(page);
    if (misfit.length > 0) found[width] = misfit;
  }
  expect(found).toEqual({});
  expect(wrongs).toEqual([]);
  await page.context().close();
});
