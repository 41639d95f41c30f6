import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, visit, World } from "./world";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

test("without a token nothing is shown; with one everything is, until it expires; then the screen stays", async () => {
  const world = await World.start({ dev: false });
  try {
    const { page, wrongs } = await visit(browser);
    await page.goto(`${world.url}/instances?q=date:yesterday`);
    const dialog = page.getByRole("dialog", { name: "A token, please" });
    await dialog.getByText("lets nobody in without a token").waitFor();
    expect(await page.getByText("send the header Authorization").count()).toBe(0); // what is asked is the token, and not twice
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel("Token").fill("swordfish");
    await dialog.getByText("A token begins with alm_").waitFor();
    await dialog.getByLabel("Token").fill(`${world.token.slice(0, -1)}${world.token.endsWith("A") ? "B" : "A"}`);
    await page.keyboard.press("Enter");
    await dialog.getByText("does not know this token").waitFor();
    await dialog.getByLabel("Token").fill(world.token);
    await page.keyboard.press("Enter");
    await page.getByText("5 instances").waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe("");

    const other = await page.context().newPage();
    await other.goto(`${world.url}/jobs`);
    await other.getByText("shop/orders").waitFor();
    expect(await other.getByRole("dialog").count()).toBe(0);
    await other.close();

    await page.getByRole("link", { name: /shop\/report ?\d/ }).click();
    await page.getByRole("button", { name: "Freeze" }).waitFor();
    await page.route("**/api/v1/**", (route) =>
      route.fulfill({
        status: 401,
        contentType: "application/problem+json",
        body: JSON.stringify({ status: 401, code: "token-expired", title: "Unauthorized", type: "x", detail: "the token has expired" }),
      }),
    );
    await page.getByRole("button", { name: "Freeze" }).click(); // the stream stands open: what asks next is refused
    await dialog.getByText("The token has expired").waitFor({ timeout: 15_000 });
    expect(await page.getByText("shop/report").first().isVisible()).toBe(true);
    await page.unroute("**/api/v1/**");
    await dialog.getByLabel("Token").fill(world.token);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Forget the token" }).click();
    await dialog.waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("without TLS, from another machine, everything that is done works too", async () => {
  const world = await World.start({ dev: false });
  try {
    const { page, wrongs } = await visit(browser);
    await page.goto(`http://almanac.test:${world.port}/instances/${await world.idOf("job:orders date:yesterday")}`);
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByRole("textbox", { name: "Token" }).fill(world.token);
    await page.keyboard.press("Enter");
    await page.getByRole("main").getByRole("button", { name: "Copy" }).first().click();
    expect(await page.evaluate(() => getSelection()?.toString())).toContain("almanac rerun shop/orders@");
    await page.getByRole("button", { name: "Force success" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
    await page.getByText("Force success: 1 changed").waitFor();
    await page.getByText("forced").first().waitFor();
    expect(wrongs.filter((wrong) => !wrong.includes("Cross-Origin-Opener-Policy"))).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("when the server goes, what is on the screen stays, and goes on when it is back", async () => {
  const world = await World.start();
  try {
    const { page, wrongs } = await visit(browser);
    await page.goto(`${world.url}/instances?q=date:yesterday`);
    await page.getByText("5 instances").waitFor();
    await world.stop();
    await page.getByText("The server does not answer.").waitFor({ timeout: 30_000 });
    expect(await page.getByText("shop/report").isVisible()).toBe(true);
    await world.serve();
    await page.getByText("The server does not answer.").waitFor({ state: "hidden", timeout: 30_000 });
    const id = await world.idOf("job:stock date:yesterday");
    await fetch(`${world.url}/api/v1/instances/${id}/confirm`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
    await page.getByRole("link", { name: /succeeded.*shop\/stock/s }).waitFor({ timeout: 15_000 });
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});

test("an empty server says what to do", async () => {
  const world = await World.start({ empty: true });
  try {
    const { page, wrongs } = await visit(browser);
    await page.goto(world.url);
    await page.getByText("Nothing is planned yet").waitFor();
    await page.goto(`${world.url}/jobs`);
    await page.getByText("There are no jobs.").waitFor();
    await page.getByRole("link", { name: "How to begin" }).click();
    await page.getByText("Nothing is planned yet").waitFor();
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await world.end();
  }
});
