import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, freePort, until } from "./world";

const layers = ["ods", "dwd", "dws", "ads"];

/** writeCrowd writes a folder of so many workflows, each of so many hourly jobs that wait for one another, from a day on. */
export function writeCrowd(folder: string, workflows: number, jobs: number, from = "2026-01-01", action = "type: none"): void {
  mkdirSync(folder, { recursive: true });
  for (let w = 0; w < workflows; w++) {
    const lines = [
      `workflow: flow-${String(w).padStart(3, "0")}`,
      "defaults:",
      `  startTime: ${from}T00:00:00Z`,
      `  recurrence: { frequency: hour, schedule: { minutes: [${(w * 7) % 60}] } }`,
      "jobs:",
    ];
    for (let j = 0; j < jobs; j++) {
      const name = (n: number) => `${layers[n % layers.length]}-${String(n).padStart(3, "0")}`;
      lines.push(`  ${name(j)}:`, `    action: { ${action} }`);
      if (j % 4 !== 0) lines.push(`    dependsOn: [${name(j - 1)}]`);
    }
    // Once a day, after all that: an edge for a range.
    lines.push("  close:", "    recurrence: { frequency: day, schedule: { hours: [23], minutes: [59] } }");
    lines.push(`    action: { ${action} }`, `    dependsOn: [${layers[(jobs - 1) % layers.length]}-${String(jobs - 1).padStart(3, "0")}]`);
    writeFileSync(join(folder, `flow-${w}.yaml`), `${lines.join("\n")}\n`);
  }
}

/** A Crowd is a server of many instances. */
export class Crowd {
  readonly date: string; // the day on which they are
  readonly url: string;
  readonly #server: ChildProcess;
  readonly #dir: string;

  private constructor(url: string, date: string, server: ChildProcess, dir: string) {
    this.url = url;
    this.date = date;
    this.#server = server;
    this.#dir = dir;
  }

  /** ended has a day on which all of so many hourly jobs, and one a day for each workflow, have ended. */
  static ended(workflows: number, jobs: number): Promise<Crowd> {
    const [dir, date] = [mkdtempSync(join(tmpdir(), "almanac-crowd-")), "2026-11-20"];
    writeCrowd(join(dir, "folder"), workflows, jobs);
    execFileSync(binary, ["run", join(dir, "folder"), "--date", date, "--data", join(dir, "data")], { stdio: "pipe", maxBuffer: 1 << 28 });
    return Crowd.#serve(dir, date, []);
  }

  /** coming has a day on which as many would run, each for a minute; nothing is due before. */
  static coming(workflows: number, jobs: number): Promise<Crowd> {
    const [dir, date] = [mkdtempSync(join(tmpdir(), "almanac-crowd-")), "2030-06-03"];
    writeCrowd(join(dir, "folder"), workflows, jobs, "2030-01-01", 'type: shell, command: "true"');
    return Crowd.#serve(dir, date, [join(dir, "folder")]);
  }

  static async #serve(dir: string, date: string, folder: string[]): Promise<Crowd> {
    const port = await freePort();
    const args = ["serve", ...folder, "--data", join(dir, "data"), "--listen", `127.0.0.1:${port}`, "--dev"];
    const server = spawn(binary, args, { stdio: "ignore" });
    const crowd = new Crowd(`http://127.0.0.1:${port}`, date, server, dir);
    await until(async () => {
      if (server.exitCode !== null) throw new Error("the server ended");
      return (await fetch(`${crowd.url}/readyz`)).ok;
    });
    return crowd;
  }

  /** The number of the server's process. */
  get pid(): number {
    return this.#server.pid ?? 0;
  }

  async api<T>(path: string): Promise<T> {
    return (await (await fetch(this.url + path)).json()) as T;
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#server.once("exit", resolve));
    this.#server.kill("SIGTERM");
    await ended;
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
