import { loadavg } from "node:os";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Crowd } from "./crowd";
import { costOf, longest, type Task, workOf } from "./work";
import { launch, type Visit, visit } from "./world";

/** What a person may wait for a page of 10,000 instances until it can be used, in milliseconds. */
const interactive = 1_500;
/** No task of a page may keep it from moving for longer: of the processor, for what else a machine does is not the page's. */
const frame = 100;

let browser: Browser;
let ended: Crowd; // 10,101 instances
let coming: Crowd; // as many
beforeAll(async () => {
  [browser, ended, coming] = await Promise.all([launch(), Crowd.ended(21, 20), Crowd.coming(21, 20)]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([ended?.end(), coming?.end()]);
});

const lanes = (page: Page) => page.getByRole("application");
const told = (tasks: Task[]) => `${tasks.length} tasks, the longest ${longest(tasks).toFixed(0)} ms`;
const say = (words: string) => console.info(`${words} (load ${loadavg()[0]?.toFixed(1)})`);

/** scrollThrough scrolls from the top to the end, a bit with each frame. */
function scrollThrough(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const place = document.querySelector(".lanes .scroll");
    if (place === null) throw new Error("there are no lanes");
    const height = place.scrollHeight - place.clientHeight;
    const frames = 150;
    for (let n = 1; n <= frames; n++) {
      place.scrollTop = (height * n) / frames;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    place.scrollTop = 0;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

/** The pages of a day of 10,000: where they are, and what shows that they can be used. */
const days: [string, () => Crowd, (crowd: Crowd) => string, (page: Page) => Promise<void>][] = [
  ["the board", () => ended, ({ date }) => `/day/${date}`, (page) => page.getByRole("link", { name: "10101 instances" }).waitFor()],
  ["the simulation", () => coming, ({ date }) => `/simulate?date=${date}`, (page) => page.getByText("10101 of 10101 end well").waitFor()],
];

describe.each(days)("%s of 10,000 instances", (name, crowdOf, path, shown) => {
  let seen: Visit; // has what every page loads, as a person has who comes from another page
  beforeAll(async () => {
    seen = await visit(browser);
    await seen.page.goto(crowdOf().url);
    await seen.page.goto(crowdOf().url + path(crowdOf()));
    await shown(seen.page);
  });
  afterAll(() => seen?.page.context().close());

  test.each([1, 2, 3])("is there at once, try %i", async () => {
    const page = await seen.page.context().newPage();
    const crowd = crowdOf();
    const { result, wall, free, cpu } = await costOf(browser, crowd.pid, () =>
      workOf(browser, page, async () => {
        await page.goto(crowd.url + path(crowd));
        await shown(page);
        await lanes(page).waitFor();
        return page.evaluate(() => performance.now());
      }),
    );
    say(
      `${name}: interactive ${result.result.toFixed(0)} ms after it was asked for (measured ${wall.toFixed(0)}, unhindered ${free.toFixed(0)}), ${cpu.toFixed(0)} ms of the processors; ${told(result.main)}`,
    );
    expect(free).toBeLessThan(interactive);
    expect(cpu).toBeLessThan(interactive);
    expect(longest(result.main)).toBeLessThan(frame);

    const { main } = await workOf(browser, page, () => scrollThrough(page));
    say(`${name}: scrolled through, ${told(main)}`);
    expect(longest(main)).toBeLessThan(frame);
    await page.close();
  });

  test("nothing went wrong", () => expect(seen.wrongs).toEqual([]));
});
