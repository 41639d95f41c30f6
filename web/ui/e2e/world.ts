import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

const here = fileURLToPath(new URL(".", import.meta.url));
export const binary = process.env.ALMANAC_TEST_BINARY ?? join(here, "../../../bin/almanac");
const browserPath = process.env.ALMANAC_TEST_CHROMIUM ?? "/usr/bin/chromium";

/** The day that a World has run: one, also for tests that begin before midnight and end after. */
export const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** How a World is made. */
export interface Making {
  dev?: boolean; // nobody needs a token
  empty?: boolean; // nothing was run, and no folder is served
  seed?: string; // its folder
  program?: string;
  env?: Record<string, string>; // of its server, beside what there is
}

/** faulty builds the real program with a clock that a file moves, as the tests of the command line do. */
export function faulty(): string {
  const given = process.env.ALMANAC_TEST_FAULTS;
  if (given !== undefined) return given;
  const program = join(here, "../../../bin/almanac-faults");
  execFileSync("go", ["build", "-tags", "faults", "-o", program, "./cmd/almanac"], { cwd: join(here, "../../.."), stdio: "pipe" });
  return program;
}

/** A World is a server of its own on a data directory of its own, in which yesterday was run already and did not end well. */
export class World {
  readonly dir: string;
  readonly port: number;
  readonly #dev: boolean;
  readonly #seed: string;
  readonly #program: string;
  readonly #env: Record<string, string>;
  #server: ChildProcess | undefined;
  token = ""; // of an admin; "" when none is needed

  private constructor(port: number, { dev = true, seed = "seed", program = binary, env = {} }: Making) {
    this.dir = mkdtempSync(join(tmpdir(), "almanac-e2e-"));
    this.port = port;
    this.#dev = dev;
    this.#seed = resolve(here, seed);
    this.#program = program;
    this.#env = env;
  }

  static async start(making: Making = {}): Promise<World> {
    const world = new World(await freePort(), making);
    const { empty = false } = making;
    if (!empty) {
      try {
        execFileSync(world.#program, ["run", world.#seed, "--date", yesterday, "--data", world.dir], { stdio: "pipe" });
        throw new Error("the day should not have ended well");
      } catch (error) {
        if ((error as { status?: number }).status !== 1) throw error;
      }
    }
    await world.serve(empty ? [] : undefined);
    return world;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async serve(folder: string[] = [this.#seed]): Promise<void> {
    const args = ["serve", ...folder, "--data", this.dir, "--listen", `127.0.0.1:${this.port}`, ...(this.#dev ? ["--dev"] : [])];
    const server = spawn(this.#program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...this.#env } });
    this.#server = server;
    let output = "";
    for (const stream of [server.stdout, server.stderr]) {
      stream?.on("data", (bytes: Buffer) => {
        output += bytes.toString();
        this.token = /alm_[A-Za-z0-9_-]+/.exec(output)?.[0] ?? this.token;
      });
    }
    await until(async () => {
      if (server.exitCode !== null) throw new Error(`the server ended: ${output}`);
      return (await fetch(`${this.url}/readyz`)).ok;
    });
  }

  /** reload has the server read its folder again. */
  reload(): void {
    this.#server?.kill("SIGHUP");
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async api<T>(path: string): Promise<T> {
    const headers: Record<string, string> = this.token === "" ? {} : { Authorization: `Bearer ${this.token}` };
    return (await (await fetch(this.url + path, { headers })).json()) as T;
  }

  async post<T>(path: string, body: unknown, token = this.token): Promise<T> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (token !== "") headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(this.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** idOf is the id of the first instance that a selector chooses. */
  async idOf(selector: string): Promise<string> {
    const { items } = await this.api<{ items: { id: string }[] }>(`/api/v1/instances?selector=${encodeURIComponent(selector)}`);
    const id = items[0]?.id;
    if (id === undefined) throw new Error(`nothing matches ${selector}`);
    return id;
  }
}

export async function until(what: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 40_000;
  for (;;) {
    try {
      if (await what()) return;
    } catch (error) {
      if (Date.now() > end || String(error).includes("the server ended")) throw error;
    }
    if (Date.now() > end) throw new Error("it did not come about within 40 seconds");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

let told = 0;

/** freePort is a port that nobody listens at and that no connection of a browser takes: it is below those, and in another place for each worker. */
export async function freePort(): Promise<number> {
  for (;;) {
    told++;
    const port = 10_000 + ((process.pid * 61 + Number(process.env.VITEST_POOL_ID ?? 0) * 1_000 + told) % 22_000);
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP almanac.test 127.0.0.1"],
  });
}

/** settled is when a page has come to rest: what it asked for is there, and nothing of it has changed for a moment. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let quiet = setTimeout(resolve, 120);
        new MutationObserver(() => {
          clearTimeout(quiet);
          quiet = setTimeout(resolve, 120);
        }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
        setTimeout(resolve, 2_000); // a clock that ticks never rests
      }),
  );
}

/** A Visit is a page, and all others of its context, with what must never happen on it: a dialog, a message of the content security policy, a script's error. */
export interface Visit {
  page: Page;
  wrongs: string[];
}

export async function visit(browser: Browser, options: { width?: number; dark?: boolean; language?: string } = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: 800 },
    colorScheme: options.dark ? "dark" : "light",
    locale: options.language ?? "en-GB",
    reducedMotion: "reduce",
  });
  const wrongs: string[] = [];
  context.on("dialog", (dialog) => {
    wrongs.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("weberror", (error) => wrongs.push(`error: ${error.error().message}`));
  context.on("console", (message) => {
    // That a request was refused or did not arrive is told by the page; the browser repeats it.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) wrongs.push(`console: ${message.text()}`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  const page = await context.newPage();
  return { page, wrongs };
}
