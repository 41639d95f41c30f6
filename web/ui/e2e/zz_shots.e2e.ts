import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { launch, visit, World } from "./world";

test("shots", async () => {
  const world = await World.start({ empty: true });
  await world.stop();
  await world.serve([fileURLToPath(new URL("fill", import.meta.url))]);
  const browser = await launch();
  for (const [dark, width] of [
    [false, 1280],
    [true, 1920],
  ] as const) {
    const { page, wrongs } = await visit(browser, { dark, width });
    const shot = (name: string) => page.screenshot({ path: `/tmp/almanac/wizard/${name}-${dark ? "dark" : "light"}-${width}.png` });
    const base = "job=fill%2Fods&from=2026-01-01&to=2026-09-07&down=all";
    await page.goto(`${world.url}/backfills`);
    await page.getByText("No backfill yet").or(page.getByRole("region")).first().waitFor();
    await page.waitForTimeout(400);
    await shot("list");
    await page.goto(`${world.url}/backfills/new?${base}`);
    await page.getByLabel("fill/report").waitFor();
    await shot("jobs");
    await page.goto(`${world.url}/backfills/new?${base}&step=days`);
    await page.waitForTimeout(600);
    await shot("days");
    await page.goto(`${world.url}/backfills/new?${base}&step=how&min=4&max=2&wfrom=22:00&priority=12`);
    await page.waitForTimeout(600);
    await shot("how");
    await page.goto(`${world.url}/backfills/new?${base}&step=review`);
    await page.getByText("Save the plan").waitFor();
    await page.waitForTimeout(300);
    await shot("review");
    await page.goto(`${world.url}/backfills/new?job=fill%2Freport&job=fill%2Fslow&from=2026-08-01&to=2026-09-07&step=review`);
    await page.getByText("Save the plan").waitFor();
    await page.waitForTimeout(300);
    await shot("review2");
    await page.goto(
      `${world.url}/backfills/new?job=fill%2Ffails&job=fill%2Fslow&job=fill%2Freport&up=all&from=2026-0${dark ? 5 : 7}-21&to=2026-0${dark ? 7 : 9}-07&parallel=2&step=review`,
    );
    await page.getByRole("button", { name: "Apply: run" }).click();
    await page.waitForTimeout(3000);
    await shot("applied");
    console.log(wrongs, page.url());
    await page.getByRole("heading", { name: /^Backfill bf/ }).waitFor({ timeout: 3000 });
    await page.waitForTimeout(4500);
    await shot("backfill");
    await page.getByRole("button", { name: "Change…" }).click();
    await page.waitForTimeout(300);
    await shot("change");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Cancel backfill…" }).click();
    await page.waitForTimeout(300);
    await shot("cancel");
    await page.keyboard.press("Escape");
    await page.goto(`${world.url}/backfills`);
    await page.waitForTimeout(600);
    await shot("list2");
    console.log(wrongs);
    await page.context().close();
  }
  await browser.close();
  await world.end();
  expect(1).toBe(1);
}, 120_000);
