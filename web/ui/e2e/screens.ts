import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { launch, visit, World, yesterday } from "./world";

// The pictures of docs/ui.md and the README, of a day that did not end well. `make screens` makes them; no test looks at them.
const images = fileURLToPath(new URL("../../../docs/images", import.meta.url));

let world: World;
let browser: Awaited<ReturnType<typeof launch>>;

beforeAll(async () => {
  mkdirSync(images, { recursive: true });
  [world, browser] = await Promise.all([World.start({ seed: "seed-screens" }), launch()]);
});

afterAll(async () => {
  await browser.close();
  await world.end();
});

const pictures: {
  name: string;
  dark?: boolean;
  path: () => Promise<string> | string;
  ready: string;
  before?: (page: Page) => Promise<void>;
}[] = [
  { name: "home", path: () => "/", ready: "text=retail/orders" },
  { name: "day", dark: true, path: () => `/day/${yesterday}?zone=Asia/Shanghai`, ready: "canvas" },
  {
    name: "graph",
    path: async () => `/instances/${await world.idOf(`job:dws_sales date:${yesterday} state:waiting`)}/graph?up=2&down=0`,
    ready: ".react-flow__node",
    before: (page) => page.getByRole("button", { name: "Fit" }).click(),
  },
];

for (const picture of pictures) {
  test(picture.name, async () => {
    const { page } = await visit(browser, { dark: picture.dark ?? false });
    await page.goto(world.url + (await picture.path()));
    await page.locator(picture.ready).first().waitFor();
    if (picture.before) await picture.before(page);
    await page.evaluate(() => document.fonts.ready);
    await new Promise((resolve) => setTimeout(resolve, 1000)); // the layout and what slides in
    await page.screenshot({ path: join(images, `${picture.name}.png`) });
    await page.context().close();
  });
}
