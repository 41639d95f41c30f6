import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, until } from "./world";

const layers = ["ods", "dwd", "dws", "ads"];

/** writeCrowd writes a folder of so many workflows, each of so many hourly jobs that do nothing and wait for one another. */
export function writeCrowd(folder: string, workflows: number, jobs: number): void {
  mkdirSync(folder, { recursive: true });
  for (let w = 0; w < workflows; w++) {
    const lines = [
      `workflow: flow-${String(w).padStart(3, "0")}`,
      "defaults:",
      "  startTime: 2026-01-01T00:00:00Z",
      `  recurrence: { frequency: hour, schedule: { minutes: [${(w * 7) % 60}] } }`,
      "jobs:",
    ];
    for (let j = 0; j < jobs; j++) {
      const name = (n: number) => `${layers[n % layers.length]}-${String(n).padStart(3, "0")}`;
      lines.push(`  ${name(j)}:`, "    action: { type: none }");
      if (j % 4 !== 0) lines.push(`    dependsOn: [${name(j - 1)}]`);
    }
    // Once a day, after all that: an edge for a range.
    lines.push("  close:", "    recurrence: { frequency: day, schedule: { hours: [23], minutes: [59] } }");
    lines.push("    action: { type: none }", `    dependsOn: [${layers[(jobs - 1) % layers.length]}-${String(jobs - 1).padStart(3, "0")}]`);
    writeFileSync(join(folder, `flow-${w}.yaml`), `${lines.join("\n")}\n`);
  }
}

/** A Crowd is a server on a day of many instances, all of which have ended. */
export class Crowd {
  readonly date = "2026-11-20";
  readonly url: string;
  readonly #end: () => Promise<void>;

  private constructor(url: string, end: () => Promise<void>) {
    this.url = url;
    this.#end = end;
  }

  static async start(workflows: number, jobs: number, port: number): Promise<Crowd> {
    const dir = mkdtempSync(join(tmpdir(), "almanac-crowd-"));
    const folder = join(dir, "folder");
    const data = join(dir, "data");
    writeCrowd(folder, workflows, jobs);
    execFileSync(binary, ["run", folder, "--date", "2026-11-20", "--data", data], { stdio: "pipe", maxBuffer: 1 << 28 });
    const server = spawn(binary, ["serve", "--data", data, "--listen", `127.0.0.1:${port}`, "--dev"], { stdio: "ignore" });
    const crowd = new Crowd(`http://127.0.0.1:${port}`, async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    });
    await until(async () => {
      if (server.exitCode !== null) throw new Error("the server ended");
      return (await fetch(`${crowd.url}/readyz`)).ok;
    });
    return crowd;
  }

  end(): Promise<void> {
    return this.#end();
  }
}
