import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../src/api/schema";
import { serious } from "./serious";
import { longest, workOf } from "./work";
import { launch, settled, until, visit, World } from "./world";

type Graph = components["schemas"]["Graph"];

const shots = fileURLToPath(new URL("shots/", import.meta.url));

let world: World;
let browser: Browser;
let report: string;
let source: string;
let join: string;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ seed: "seed-graph" }), launch()]);
  report = await world.idOf("job:report date:yesterday");
  source = await world.idOf("job:source date:yesterday");
  join = await world.idOf("job:join date:yesterday");
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
});

const node = (page: Page, key: string) => page.locator(`[data-node="${key}"]`);
const layouts = (page: Page) =>
  page.evaluate(() => performance.getEntriesByName("graph layout").map((entry) => Math.round(entry.duration)));

const places: [string, () => string, string][] = [
  ["graph", () => `/instances/${report}/graph`, "96 × quarter"],
  ["graph-marked", () => `/instances/${report}/graph?sel=${join}`, "daily on daily"],
  ["graph-line", () => `/instances/${report}/graph?sel=${encodeURIComponent(`${join} → ${report}`)}`, "When it fails"],
  ["graph-list", () => `/instances/${report}/graph?view=list`, "Mark"],
  ["graph-jobs", () => `/instances/${report}/graph?jobs=*`, "3 instances"],
  ["graph-unplanned", () => "/graph?i=net/report@2099-01-01T23:55", "not planned yet"],
  ["graph-which", () => "/graph", "Which instance?"],
  ["graph-missing", () => "/instances/999999/graph", "There is nothing here"],
];

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  test.each(places)("%s can be read by everybody", async (name, path, words) => {
    const { page, wrongs } = await visit(browser, { dark: theme === "dark" });
    await page.goto(world.url + path());
    await page.getByText(words).first().waitFor();
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      await page.screenshot({ path: `${shots}${name}-${theme}-${width}.png` });
      if (width === 1280) expect(await serious(page)).toEqual([]);
    }
    expect(wrongs).toEqual([]);
    await page.context().close();
  });
});

test("the root cause four hops up is gone to from one hop", async () => {
  const { page, wrongs } = await visit(browser, { width: 1920 });
  await page.goto(`${world.url}/instances/${report}/graph?up=1`);
  await node(page, report).waitFor();
  expect(await node(page, source).count()).toBe(0);
  const card = page.locator(".cause", { hasText: "net/source" });
  await card.getByText("4 hops up").waitFor();
  await card.getByRole("button", { name: "Go to the root cause" }).click();
  await node(page, source).waitFor();
  await until(async () => (await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.node)) === source);
  expect(await node(page, source).locator(".hidden").textContent()).toMatch(/^net\/source .*, failed, root cause$/);
  await page.getByText("failed: exit 3 after attempt 1").waitFor();
  expect(new URL(page.url()).searchParams.get("up")).toBe("4");
  expect(await page.locator(".strand.blocking").count()).toBe(11); // the chain, the diamond, the three of the range, and the range
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("a range is one line with its count, and shows its instances when asked", async () => {
  const { page, wrongs } = await visit(browser, { width: 1920 });
  await page.goto(`${world.url}/instances/${report}/graph`);
  const range = page.getByRole("button", { name: "96 instances of net/quarter, 3 not done" });
  await range.click();
  await page.getByText("3 of 96 shown").waitFor();
  await page.getByText("96 plan times, 2026").waitFor();
  await page.locator(".strand-label", { hasText: "96 × natural-day" }).waitFor();
  await page.getByRole("button", { name: "Show all of the range" }).click();
  await page.getByText("96 of 96 shown").waitFor();
  await page.getByText("104 instances").waitFor();
  await page.getByRole("button", { name: "Hide its instances" }).click();
  await page.getByText("0 of 96 shown").waitFor();
  await page.reload();
  await page.getByText("0 of 96 shown").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("more is shown hop by hop and node by node, jobs are collapsed, and all of it is in the address", async () => {
  const { page, wrongs } = await visit(browser, { width: 1920 });
  await page.goto(`${world.url}/instances/${report}/graph?up=1&down=0`);
  await page.getByText("3 instances, 2 lines").waitFor();
  await page.getByRole("button", { name: /join .*: Show 2 more that it waits for/ }).click();
  await page.getByText("5 instances, 4 lines").waitFor();
  await page.getByRole("button", { name: "Down: a hop more" }).click();
  await page.getByText("6 instances, 5 lines").waitFor();
  await page.getByRole("button", { name: "Up: a hop more" }).click();
  await page.getByText("9 instances and 1 range, 9 lines").waitFor();
  expect(new URL(page.url()).search).toBe(`?up=2&x=u${join}&sel=${join}`);
  await page.reload();
  await page.getByRole("button", { name: /^net\/left .*, waiting$/ }).waitFor();
  await page.getByRole("button", { name: "Collapse jobs" }).click();
  await page.getByRole("button", { name: /3 instances of net\/quarter, collapsed/ }).click();
  await page.getByRole("button", { name: "Show them apart" }).click();
  await page.getByRole("button", { name: "96 instances of net/quarter, 3 not done" }).waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what is searched is marked and gone to", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/instances/${report}/graph`);
  await node(page, report).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("quarter 2026");
  await page.getByText("1 of 3").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.getByText("2 of 3").waitFor();
  await page.getByText("failed: exit 1 after attempt 1").first().waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("the keyboard alone goes along the lines, opens the menu and an operation, and the page of an instance", async () => {
  const { page, wrongs } = await visit(browser, { width: 1920 });
  await page.goto(`${world.url}/instances/${report}`);
  await page.getByRole("link", { name: "Graph", exact: true }).focus();
  await page.keyboard.press("Enter");
  await node(page, report).waitFor();
  const on = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.node ?? "");
  for (let n = 0; n < 40 && (await on()) === ""; n++) await page.keyboard.press("Tab");
  expect(await on()).toBe(report); // one stop for the whole picture
  const step = async (key: string) => {
    const before = await on();
    await page.keyboard.press(key);
    await until(async () => (await on()) !== before);
  };
  await step("ArrowUp");
  await step("ArrowRight");
  expect(await on()).toBe(report);
  await step("ArrowLeft");
  if ((await on()) !== join) await step("ArrowUp");
  expect(await on()).toBe(join);
  await step("ArrowLeft");
  await step("ArrowLeft");
  await step("ArrowLeft");
  expect(await on()).toBe(source);
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menuitem", { name: "Rerun…" }).waitFor();
  await page.screenshot({ path: `${shots}graph-menu-light-1920.png` });
  expect(await serious(page)).toEqual([]);
  await page.keyboard.press("Escape");
  expect(await on()).toBe(source);
  await page.keyboard.press("ContextMenu");
  await page.getByRole("menuitem", { name: "Rerun…" }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter"); // skip, the last
  await page.getByRole("dialog", { name: /^Skip/ }).getByText("changes").waitFor();
  await page.keyboard.press("Escape");
  await node(page, source).focus();
  await page.keyboard.press("Home");
  await until(async () => (await on()) === report);
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/instances/${report}$`));
  await page.keyboard.press("Control+k");
  await page.keyboard.type("graph of");
  await page.getByRole("option", { name: "Graph of this instance" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/instances/${report}/graph$`));
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("an operation says what it would do, does it, and what follows is recoloured where it stands", async () => {
  const other = await World.start({ seed: "seed-graph" });
  const { page, wrongs } = await visit(browser, { width: 1920 });
  const [from, to] = [await other.idOf("job:source date:yesterday"), await other.idOf("job:report date:yesterday")];
  await page.goto(`${other.url}/instances/${to}/graph?up=4`);
  await node(page, from).click();
  await settled(page);
  const place = (key: string) =>
    page.locator(`.react-flow__node[data-id="${key}"]`).evaluate((box) => (box as HTMLElement).style.transform);
  const [before, count] = [await place(from), (await layouts(page)).length];
  await page.getByRole("button", { name: "Force success" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("changes").waitFor();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Force success: 1 changed").waitFor();
  await page.getByRole("button", { name: /^net\/source .*, forced$/ }).waitFor();
  await page.getByRole("button", { name: /^net\/join .*, succeeded$/ }).waitFor({ timeout: 15_000 });
  expect(await place(from)).toBe(before);
  expect((await layouts(page)).length).toBe(count);
  expect(wrongs).toEqual([]);
  await page.context().close();
  await other.end();
});

test("names of markup are texts, in the picture, the panel, the menu and the list", async () => {
  const { page, wrongs } = await visit(browser);
  const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
  await page.route("**/api/v1/**/graph?*", async (route) => {
    const graph = (await (await route.fetch()).json()) as Graph;
    for (const one of graph.nodes) {
      Object.assign(one.instance, { job: `${one.instance.job}${evil}`, workflow: evil, name: evil });
      one.instance.reason.text = evil;
    }
    for (const edge of graph.edges) Object.assign(edge, { job: evil, workflow: evil, rule: evil, pair: evil, text: evil });
    await route.fulfill({ json: graph });
  });
  for (const search of ["", `sel=${join}`, "view=list", "jobs=*"]) {
    await page.goto(`${world.url}/instances/${report}/graph?${search}`);
    await page.getByText(evil).first().waitFor();
    expect(await page.locator("main img, main script, main iframe, body script").count(), search).toBe(0);
  }
  await page.goto(`${world.url}/instances/${report}/graph?sel=${join}`);
  await node(page, join).click({ button: "right" });
  await page.getByRole("menu").waitFor();
  await page.goto(`${world.url}/graph?i=${encodeURIComponent(evil)}`);
  await page.getByRole("alert").waitFor();
  expect(wrongs).toEqual([]);
  await page.context().close();
});

test("what an address asks for in vain, what is gone, and a worker that does not start have words and a way on", async () => {
  const { page, wrongs } = await visit(browser);
  await page.goto(`${world.url}/instances/${report}/graph?up=abc&down=-1&x=u999999&sel=nothing&open=nothing&jobs=no/such`);
  await page.getByRole("alert").getByText("There is nothing here").waitFor();
  await node(page, report).waitFor();
  await page.goto(`${world.url}/graph?i=nonsense`);
  await page.getByText("write it as workflow/job@plan time").first().waitFor();
  await page.goto(`${world.url}/graph`);
  await page.getByRole("textbox", { name: "Instance" }).fill("net/report@2099-01-01T23:55");
  await page.keyboard.press("Enter");
  await page.getByText("not planned yet").first().waitFor();
  expect(wrongs).toEqual([]);
  await page.route("**/layout.worker-*.js", (route) => route.abort());
  await page.goto(`${world.url}/instances/${report}/graph`);
  await page.getByText("could not be drawn").waitFor();
  await page.getByRole("status").getByRole("button", { name: "List" }).click();
  await page.getByRole("row", { name: /failed.*net\/source/ }).waitFor();
  await page.context().close();
});

test("the policy of trusted types starts the graph's own worker and nothing else", async () => {
  const { page } = await visit(browser);
  for (const path of ["/", `/instances/${report}/graph`]) {
    await page.goto(world.url + path);
    await page.getByText("Root causes").or(page.getByText("What is wrong now")).first().waitFor();
    const refused = await page.evaluate(() => {
      const types = (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }).trustedTypes;
      const tries = {
        again: () => types.createPolicy("almanac-worker", { createScriptURL: (url: string) => url }),
        other: () => types.createPolicy("other", { createScriptURL: (url: string) => url }),
        default: () => types.createPolicy("default", { createScriptURL: (url: string) => url }),
        worker: () => new Worker("/assets/layout.worker.js", { type: "module" }),
        blob: () => new Worker(URL.createObjectURL(new Blob(["1"]))),
        script: () => {
          document.createElement("script").src = "/assets/x.js";
        },
        markup: () => {
          document.body.innerHTML += "<b>x</b>";
        },
      };
      return Object.entries(tries).flatMap(([name, attempt]) => {
        try {
          attempt();
          return [];
        } catch {
          return [name];
        }
      });
    });
    expect(refused).toEqual(["again", "other", "default", "worker", "blob", "script", "markup"]);
  }
  await page.context().close();
});

/** grown is an answer with so many nodes, in layers of 20, each waiting for two of the layer before. */
function grown(seed: Graph, n: number): Graph {
  const [first] = seed.nodes;
  const [edge] = seed.edges;
  if (!first || !edge) throw new Error("nothing to grow from");
  const nodes = Array.from({ length: n }, (_, k) => ({
    ...first,
    node: `n${k}`,
    hop: -Math.floor(k / 20),
    moreUp: k > n - 20 ? 2 : 0,
    instance:
      k === 0
        ? first.instance
        : {
            ...first.instance,
            id: String(1_000_000 + k),
            job: `load_${k % 37}`,
            state: k % 7 ? ("succeeded" as const) : ("running" as const),
          },
  }));
  const edges = nodes.flatMap((_, k) =>
    k < 20 ? (k === 0 ? Array.from({ length: 19 }, (_, m) => ({ ...edge, n: m, count: 1, to: "n0", from: [`n${m + 1}`] })) : []) : [],
  );
  for (let k = 20; k < n; k++) {
    const below = Math.floor(k / 20) * 20 - 20;
    edges.push({ ...edge, n: k, count: 1, to: `n${below + (k % 20)}`, from: [`n${k}`] });
    if (k % 3 === 0) edges.push({ ...edge, n: k + n, count: 1, to: `n${below + ((k * 7) % 20)}`, from: [`n${k}`] });
  }
  return { ...seed, nodes, edges };
}

test("300 nodes are laid out within 0.8 s, beside the page; 1,000 can be shown, more are told", async () => {
  const seed = await world.api<Graph>(`/api/v1/instances/${report}/graph`);
  for (const n of [300, 1_000]) {
    const { page, wrongs } = await visit(browser, { width: 1920 });
    await page.route("**/api/v1/**/graph?*", (route) => route.fulfill({ json: { ...grown(seed, n), more: n === 1_000 } }));
    const { worker, main } = await workOf(browser, page, async () => {
      await page.goto(`${world.url}/instances/${report}/graph?up=20${n === 1_000 ? "&limit=1000" : ""}`);
      await page.getByText(`${n} instances`).first().waitFor({ timeout: 30_000 });
      await node(page, report).waitFor({ timeout: 30_000 });
      await settled(page);
    });
    const [took = 0] = await layouts(page);
    console.info(
      `${n} nodes: laid out in ${took} ms, ${Math.round(longest(worker))} ms of the processor; the longest task of the page ${Math.round(longest(main))} ms`,
    );
    await page.screenshot({ path: `${shots}graph-${n}-light-1920.png` });
    expect(longest(worker)).toBeGreaterThan(0);
    if (n === 300) expect(longest(worker)).toBeLessThan(800);
    else await page.getByText("as many as a picture can hold").waitFor();
    expect(wrongs).toEqual([]);
    await page.context().close();
  }
});

test("in Chinese the graph is in Chinese", async () => {
  const { page, wrongs } = await visit(browser, { language: "zh-CN" });
  await page.goto(`${world.url}/instances/${report}/graph`);
  await page.getByRole("button", { name: "转到根因" }).first().waitFor();
  await page.getByRole("button", { name: "net/quarter 的 96 个实例, 3 个未完成" }).waitFor();
  await page.screenshot({ path: `${shots}graph-zh-1280.png` });
  expect(wrongs).toEqual([]);
  await page.context().close();
});
