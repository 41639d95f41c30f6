import { loadavg } from "node:os";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Crowd } from "./crowd";
import { costOf, longest, type Task, workOf } from "./work";
import { launch, settled, type Visit, visit } from "./world";

/** What a person may wait for a page of 10,000 instances until it can be used, in milliseconds. */
const interactive = 1_500;
/**
 * A page of 10,000 instances costs the processors, of the browser and the server together, at most so
 * many times what a page of none costs that was opened just before it. A processor that is shared with
 * much else does less in a second of its own time: both pages suffer that alike.
 */
const dearer = 3;
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
const told = (tasks: Task[]) => `${tasks.length} tasks, the longest ${ms(longest(tasks))}`;
const ms = (n: number) => `${Math.round(n)} ms`;
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

  test.each([1, 2, 3])("is there at once and scrolls, try %i", async () => {
    const crowd = crowdOf();
    const opened = async (one: Page, path: string, there: () => Promise<void>) =>
      workOf(browser, one, () =>
        costOf(browser, crowd.pid, async () => {
          await one.goto(crowd.url + path);
          await there();
        }),
      );
    const other = await seen.page.context().newPage();
    const { result: plain } = await opened(other, "/incidents", () => other.getByRole("heading", { level: 1 }).waitFor());
    await other.close();
    const page = await seen.page.context().newPage();
    const { result: cost, main: load } = await opened(page, path(crowd), async () => {
      await shown(page);
      await lanes(page).waitFor();
    });
    const { wall, free, cpu } = cost;
    say(`${name}: interactive after ${ms(wall)}, of which ${ms(free)} unhindered`);
    say(`${name}: ${ms(cpu)} of the processors, ${ms(plain.cpu)} for a page of none; ${told(load)}`);
    expect(free).toBeLessThan(interactive);
    expect(cpu).toBeLessThan(dearer * plain.cpu);
    expect(longest(load)).toBeLessThan(frame);

    const { main } = await workOf(browser, page, () => scrollThrough(page));
    say(`${name}: scrolled through, ${told(main)}`);
    expect(longest(main)).toBeLessThan(frame);
    await page.close();
  });

  test("nothing went wrong", () => expect(seen.wrongs).toEqual([]));
});

test("all dependencies of 10,000 instances are drawn behind them while they scroll", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${ended.url}/day/${ended.date}`);
  await page.getByRole("link", { name: "10101 instances" }).waitFor();
  for (let n = 1; n <= 3; n++) {
    const button = page.getByRole("button", { name: "All dependencies" });
    const { main } = await workOf(browser, page, async () => {
      const edges = n === 1 ? page.waitForResponse(/\/edges/) : undefined;
      await button.click();
      await (await edges)?.finished();
      await page.waitForURL(/edges=all/);
      await settled(page);
      await scrollThrough(page);
    });
    say(`the board with all dependencies: ${told(main)}`);
    expect(longest(main)).toBeLessThan(frame);
    await button.click();
    await page.waitForURL((url) => !url.search.includes("edges"));
  }
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a change of a simulated day of 10,000 is held against it without holding the page up", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${coming.url}/simulate?date=${coming.date}`);
  await page.getByText("10101 of 10101 end well").waitFor();
  for (const slots of [4, 3, 2]) {
    const { main } = await workOf(browser, page, async () => {
      const answer = page.waitForResponse((response) => response.request().postData()?.includes(`"slots":${slots}`) === true);
      await page.getByRole("spinbutton", { name: "Slots" }).fill(String(slots));
      await page.keyboard.press("Enter");
      await (await answer).finished();
      await page.getByText("Playing the day").waitFor({ state: "detached" });
      await page.getByText(/instances do not go as they would/).waitFor();
      await settled(page);
    });
    say(`the simulation, changed to ${slots} slots: ${told(main)}`);
    expect(longest(main)).toBeLessThan(frame);
  }
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("100,000 simulated instances can be used", async () => {
  const crowd = await Crowd.coming(210, 20);
  try {
    const { page, wrongs } = await visit(browser);
    const load = await workOf(browser, page, async () => {
      await page.goto(`${crowd.url}/simulate?date=${crowd.date}`);
      await page.getByText("101010 of 101010 end well").waitFor({ timeout: 60_000 });
      await settled(page);
    });
    const change = await workOf(browser, page, async () => {
      await page.getByRole("spinbutton", { name: "Slots" }).fill("5");
      await page.keyboard.press("Enter");
      await page.getByText(/instances do not go as they would/).waitFor({ timeout: 60_000 });
      await settled(page);
    });
    const scroll = await workOf(browser, page, () => scrollThrough(page));
    say(`101,010 simulated: loaded, ${told(load.main)}; changed, ${told(change.main)}; scrolled, ${told(scroll.main)}`);
    expect(longest(load.main)).toBeLessThan(2.5 * frame);
    expect(longest(change.main)).toBeLessThan(2.5 * frame);
    expect(longest(scroll.main)).toBeLessThan(frame);
    expect(wrongs).toEqual([]);
    await page.context().close();
  } finally {
    await crowd.end();
  }
}, 180_000);

test("a list of 100,000 instances is fetched as it is scrolled, and does not hold the page up", async () => {
  const { page, wrongs } = await visit(browser);
  const { items } = await ended.api<{ items: object[] }>("/api/v1/instances?limit=1");
  let asked = 0;
  await page.route("**/api/v1/instances?*", (route) => {
    const begin = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
    asked++;
    const rows = Array.from({ length: 500 }, (_, n) => ({ ...items[0], id: String(begin + n + 1) }));
    return route.fulfill({ json: { items: rows, ...(begin + 500 < 100_000 ? { next: String(begin + 500) } : {}) } });
  });
  await page.goto(`${ended.url}/instances?q=date:yesterday`);
  await page.getByText("500 instances, and more").waitFor();
  const list = page.getByRole("region", { name: "Instances, newest plan time first" });
  const { main } = await workOf(browser, page, () =>
    list.evaluate(
      (box) =>
        new Promise<void>((resolve) => {
          const next = () => {
            box.scrollTop = box.scrollHeight;
            if (document.querySelector('a[href="/instances/100000"]')) resolve();
            else requestAnimationFrame(next);
          };
          next();
        }),
    ),
  );
  say(`a list scrolled to 100,000: ${told(main)}, ${asked} requests`);
  expect(longest(main)).toBeLessThan(frame);
  expect(await page.locator(".rows a.line").count()).toBeLessThan(80);
  expect(wrongs).toEqual([]);
  await page.context().close();
}, 120_000);
