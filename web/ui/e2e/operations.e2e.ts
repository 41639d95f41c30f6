import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, visit, World } from "./world";

let world: World;
let browser: Browser;
let page: Page;
let wrongs: string[];

beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ seed: "seed-operations" }), launch()]);
  ({ page, wrongs } = await visit(browser));
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

const instance = (job: string) => world.idOf(`job:${job} date:yesterday`);

/** carriedOut has an operation of an instance previewed and applied, and returns its line of the history. */
async function carriedOut(job: string, button: string, preview: string, before?: (dialog: Locator) => Promise<unknown>): Promise<string> {
  const id = await instance(job);
  await page.goto(`${world.url}/instances/${id}`);
  await page.getByRole("button", { name: button, exact: true }).click();
  const dialog = page.getByRole("dialog");
  if (before) await before(dialog);
  await dialog.locator("li").filter({ hasText: preview }).first().waitFor();
  await dialog.getByLabel("Why (kept in the history)").fill(`${button} of ${job}`);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("tab", { name: "History" }).click();
  const line = page.getByRole("row").filter({ hasText: `${button} of ${job}` });
  await line.first().waitFor();
  return (await line.first().textContent()) ?? "";
}

const state = async (job: string) => (await world.api<{ state: string }>(`/api/v1/instances/${await instance(job)}`)).state;

test("each operation shows what it would do, does it, and stands in the history with its reason", async () => {
  await carriedOut("held", "Freeze", "does not start before it is let go");
  await carriedOut("held", "Unfreeze", "may start");
  await carriedOut("held", "Boost", "7", (dialog) => dialog.getByLabel("Priority").selectOption("7"));
  await carriedOut("other", "Force success", "counts as succeeded");
  await expect.poll(() => state("held")).toBe("succeeded");

  await carriedOut("detached", "Detach", "does not wait for works/broken", (dialog) =>
    dialog.getByRole("combobox").selectOption({ index: 0 }),
  );
  await expect.poll(() => state("detached")).toBe("succeeded");

  await carriedOut("asked", "Confirm", "is confirmed");
  await expect.poll(() => state("asked")).toBe("succeeded");

  await carriedOut("hurried", "Run now", "waits for no upstream");
  await expect.poll(() => state("hurried")).toBe("running");
  await carriedOut("hurried", "Cancel it", "is cancelled when its processes have ended");
  await expect.poll(() => state("hurried")).toBe("cancelled");
  await carriedOut("hurried", "Skip", "counts as done without running");
  expect(await state("hurried")).toBe("skipped");

  await carriedOut("broken", "Rerun", "runs again from the start");
  await expect
    .poll(async () => (await world.api<{ items: unknown[] }>(`/api/v1/instances/${await instance("broken")}/attempts`)).items.length)
    .toBe(2);
  await expect.poll(() => state("broken")).toBe("failed");
  expect(wrongs).toEqual([]);
});
