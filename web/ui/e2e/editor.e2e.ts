import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serious } from "./serious";
import { binary, launch, visit, World } from "./world";

const shots = fileURLToPath(new URL("shots/", import.meta.url));

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

const code = (page: Page) => page.getByRole("textbox", { name: /^shop.yaml/ });

/** replace puts a text in the place of the first one of the editor that is as given, by its search. */
async function replace(page: Page, was: string, is: string): Promise<void> {
  await code(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+f");
  await page.keyboard.type(was);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.insertText(is);
}

test.each(["light", "dark"])("a mistake is marked, its repair compared and applied, in the %s theme", async (theme) => {
  const world = await World.start();
  try {
    const { page, wrongs } = await visit(browser, { dark: theme === "dark" });
    await page.goto(`${world.url}/jobs/shop/report`);
    await page.getByRole("link", { name: "Source, plan diff and dependency preview" }).click();
    await page.getByText("at each start and on SIGHUP").waitFor();
    await code(page).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByText("No mistakes").first().waitFor();

    await replace(page, "hours: [1]", "hourz: [1, 13, 14]");
    const item = page.getByRole("listitem").filter({ hasText: "hourz" });
    await item.getByRole("button", { name: "Line 6:" }).waitFor();
    expect(await page.locator(".cm-lint-marker-error").count()).toBe(1);
    const line = await page
      .locator(".cm-gutter-lint .cm-gutterElement")
      .filter({ has: page.locator(".cm-lint-marker-error") })
      .boundingBox();
    const number = await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^6$/ }).boundingBox();
    expect(Math.abs((line?.y ?? 0) - (number?.y ?? 99))).toBeLessThan(4);
    await page.screenshot({ path: `${shots}definition-mistake-${theme}-1280.png` });
    expect(await serious(page)).toEqual([]);
    await page.getByRole("tab", { name: "Plan diff" }).click();
    await page.getByText("There is no plan while the text has mistakes: 1.").waitFor();
    expect(await page.getByRole("button", { name: "Compare" }).isDisabled()).toBe(true);
    await page.getByRole("tab", { name: "Problems" }).click();
    await item.getByRole("button").click();
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("code");

    await replace(page, "hourz", "hours");
    await page.getByText("Errors: 0").waitFor();
    await page.getByRole("tab", { name: "Dependency preview" }).click();
    await page.getByText("by the changed text").waitFor();
    await page.getByRole("tab", { name: "Plan diff" }).click();
    await page.getByRole("button", { name: /^\+ added/ }).waitFor();
    expect(await page.getByRole("button", { name: /^\+ added/ }).textContent()).toMatch(/\+ added \d+/);
    await page.screenshot({ path: `${shots}definition-diff-changed-${theme}-1280.png` });
    expect(await serious(page)).toEqual([]);
    await page.getByRole("button", { name: /^\+ added/ }).click();
    expect(await page.locator(".change:not(.is-added)").count()).toBe(0);

    const before = await world.api<{ items: unknown[] }>("/api/v1/jobs/shop/orders/versions");
    await page.getByLabel("Why (kept in the history)").fill("twice more");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText(/^Applied: \d+ changed/).waitFor();
    await page.getByRole("link", { name: "Show" }).click();
    await page.getByRole("heading", { name: "Versions" }).waitFor();
    await page.getByText("01:00, 13:00 and 14:00").first().waitFor();
    const after = await world.api<{ items: unknown[] }>("/api/v1/jobs/shop/orders/versions");
    expect(after.items.length).toBe(before.items.length + 1);

    // The folder says something else now, which the page tells.
    await page.goto(`${world.url}/definitions/shop`);
    await page.getByText("the file shop.yaml in the folder says something else than what is loaded").waitFor();
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("what another applied meanwhile is drift, and a draft outlives a look at another page", async () => {
  const world = await World.start();
  try {
    const [one, other] = [await visit(browser), await visit(browser)];
    for (const { page } of [one, other]) {
      await page.goto(`${world.url}/definitions/shop?edit=1`);
      await code(page).waitFor();
    }
    await replace(one.page, "hours: [2]", "hours: [3]");
    await one.page.getByRole("tab", { name: "Plan diff" }).click();
    await one.page.getByRole("button", { name: "Apply" }).waitFor();

    await replace(other.page, "counted", "counted twice");
    await other.page.getByRole("tab", { name: "Plan diff" }).click();
    await other.page.getByRole("button", { name: "Apply" }).click();
    await other.page.getByText(/^Applied: 1 changed/).waitFor();

    await one.page.getByText("What is loaded is no longer what you began with").waitFor();
    await one.page.getByRole("button", { name: "Apply" }).click();
    await one.page.getByText("Nothing was changed. Compare again").waitFor();
    await one.page.goto(`${world.url}/jobs`);
    await one.page.goto(`${world.url}/definitions/shop?edit=1`);
    await one.page.getByText("hours: [3]").waitFor();
    await one.page.getByRole("tab", { name: "Plan diff" }).click();
    await one.page.getByText("stock").first().waitFor(); // it would be put back as it was
    await one.page.getByRole("button", { name: "Apply" }).click();
    await one.page.getByText(/^Applied: 2 changed/).waitFor();
    expect([...one.wrongs, ...other.wrongs]).toEqual([]);
    await one.page.context().close();
    await other.page.context().close();
  } finally {
    await world.end();
  }
});

test("what is due is cancelled only when that was asked for, compared, and seen", async () => {
  const world = await World.start();
  try {
    const { page, wrongs } = await visit(browser);
    const stock = await world.idOf("job:stock date:yesterday");
    await page.goto(`${world.url}/definitions/shop?edit=1`);
    await replace(page, "confirm: true", "state: disabled");
    await page.getByRole("tab", { name: "Plan diff" }).click();
    await page.getByRole("button", { name: /^= due/ }).waitFor();
    await page.getByText("held until the job is enabled").first().waitFor();
    await page.getByLabel("Cancel what is due and has not started").check();
    await page.getByText("has changed since this was compared").waitFor();
    expect(await page.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Compare again" }).click();
    await page.getByRole("button", { name: /^! cancelled/ }).waitFor();
    await page.screenshot({ path: `${shots}definition-due-light-1280.png` });
    expect(await serious(page)).toEqual([]);
    expect(await page.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
    await page.getByLabel(/I have seen that \d+ due instances will be cancelled/).check();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText(/^Applied: 1 changed/).waitFor();
    expect((await world.api<{ state: string }>(`/api/v1/instances/${stock}`)).state).toBe("cancelled");
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("who may only look can edit, compare and preview, and is told that applying takes another role", async () => {
  const world = await World.start({ dev: false });
  try {
    await world.stop();
    const made = execFileSync(binary, ["token", "create", "--name", "ann", "--role", "viewer", "--data", world.dir], {
      stdio: "pipe",
    }).toString();
    await world.serve();
    const { page, wrongs } = await visit(browser);
    await page.goto(`${world.url}/definitions/shop?edit=1`);
    await page.getByLabel("Token", { exact: true }).fill(/alm_[A-Za-z0-9_-]+/.exec(made)?.[0] ?? "");
    await page.keyboard.press("Enter");
    await replace(page, "hours: [2]", "hours: [3]");
    await page.getByRole("tab", { name: "Plan diff" }).click();
    await page.getByText("To apply takes a token with the role editor").waitFor();
    const apply = page.getByRole("button", { name: "Apply" });
    await apply.press("Enter");
    await page.getByText("This needs the role").last().waitFor();
    expect(await apply.getAttribute("aria-disabled")).toBe("true");
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("by keyboard: the editor completes, keeps the letters, and lets go by Escape, then Tab", async () => {
  const world = await World.start();
  try {
    const { page, wrongs } = await visit(browser);
    await page.goto(`${world.url}/definitions/shop`);
    await page.getByRole("button", { name: "Edit", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop editing" }).waitFor();
    await expect.poll(() => code(page).evaluate((element) => (element.getRootNode() as ShadowRoot).activeElement === element)).toBe(true);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\n");
    await page.keyboard.press("Home");
    await page.keyboard.type("  gh:\n  tri");
    await page.getByRole("option", { name: "trigger" }).waitFor();
    await page.waitForTimeout(100); // a list that has just opened takes no Enter
    await page.keyboard.press("Enter");
    await page.keyboard.type("ma");
    await page.getByRole("option", { name: "manual" }).waitFor();
    await page.waitForTimeout(100);
    await page.keyboard.press("Enter");
    await page.keyboard.type("\naction: {{type: none}?/g");
    await page.getByText("Errors: 1").waitFor();
    expect(page.url()).toContain("/definitions/shop");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("code");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("tab-problems");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByText("The preview goes on when the text has no mistakes").waitFor();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search and commands" }).waitFor();
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("names and messages are texts; what is not there has words; a preview goes to any day; in Chinese", async () => {
  const world = await World.start();
  try {
    const { page, wrongs } = await visit(browser);
    await page.goto(`${world.url}/definitions/%3Cimg%20src=x%3E`);
    await page.getByText("There is nothing here").waitFor();
    await page.goto(`${world.url}/definitions/shop?job=report&date=2100-01-01`);
    await page.getByText("<script>alert(document.domain)</script>").waitFor();
    await page.getByRole("img", { name: /report on 2100-01-01/ }).waitFor();
    const hour = page.locator(".timeline text.hour").first();
    expect(await hour.evaluate((text) => getComputedStyle(text).stroke)).toBe("none"); // it is read, not drawn over
    await page.getByText("natural").first().waitFor();
    await page.getByRole("button", { name: "The day after" }).click();
    await page.getByRole("img", { name: /report on 2100-01-02/ }).waitFor();
    await page.getByRole("combobox", { name: "Job" }).selectOption("talker");
    await page.getByText("It has no plan times").waitFor();
    await page.getByRole("combobox", { name: "Job" }).selectOption("report");
    await page.getByLabel("Date").fill("1999-01-01");
    await page.getByText(/It counts from .* on/).waitFor();

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("tab", { name: "Problems" }).click();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(() =>
      navigator.clipboard.writeText('"<img src=x onerror=alert(9)>":\n      "<script>alert(10)</script>": 1\n    tags: ["x"]'),
    );
    await replace(page, 'tags: ["<svg/onload=alert(2)>"]', "");
    await page.keyboard.press("Control+v");
    await page.getByRole("listitem").filter({ hasText: "onerror=alert(9)" }).first().waitFor();
    expect(await page.locator("main img, main script, main iframe").count()).toBe(0);
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.getByText("onerror=alert(9)").first().waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Edit" }).click();
    await replace(page, "workflow: shop", "workflow: shop2");
    await page.getByText("The text now defines the workflow shop2").waitFor();
    await page.getByRole("button", { name: "中文" }).click();
    await page.getByText("先按 Esc 再按 Tab 离开编辑器").waitFor();
    await page.getByText("文本现在定义的是工作流 shop2").waitFor();
    await page.screenshot({ path: `${shots}definition-zh-1280.png` });
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});
