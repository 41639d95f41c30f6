import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until, World } from "./world";

interface Item {
  id: string;
  state: string;
}

/** An Etl is a world in which a job with steps has failed, was changed and ran again, one watches for a file, and one has a history of 300 days. */
export interface Etl {
  world: World;
  load: string; // ids of instances
  watch: string;
  end: () => Promise<void>;
}

export async function startEtl(): Promise<Etl> {
  const folder = mkdtempSync(join(tmpdir(), "almanac-etl-"));
  cpSync(fileURLToPath(new URL("etl", import.meta.url)), folder, { recursive: true });
  const world = await World.start({ empty: true });
  await world.stop();
  await world.serve([folder]);
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await fetch(world.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const load = (await post<Item>("/api/v1/jobs/etl/load/trigger", {})).id;
  const watch = (await post<Item>("/api/v1/jobs/etl/watch/trigger", {})).id;
  await backfill(post);
  await ended(world, load);
  // Another version of the job, by which the instance is run again.
  const file = join(folder, "etl.yaml");
  await world.stop();
  writeFileSync(
    file,
    readFileSync(file, "utf8")
      .replace("sleep 0.5", "sleep 0.1")
      .replace("      index:", "      audit: {needs: [join], type: shell, command: echo audited}\n      index:"),
  );
  await world.serve([folder]);
  await post("/api/v1/operations", {
    operation: "rerun",
    ids: [load],
    options: { from: "start", version: "original", scope: "this" },
    note: "<b>again</b>",
  });
  await ended(world, load);
  // Of what is due: late in the evening tomorrow's is there too, and waits.
  const due = `/api/v1/instances?workflow=etl&job=daily&state=waiting&state=running&limit=1&to=${new Date().toISOString()}`;
  await until(async () => (await world.api<{ items: Item[] }>(due)).items.length === 0);
  return {
    world,
    load,
    watch,
    end: async () => {
      await world.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function backfill(post: <T>(path: string, body: object) => Promise<T>): Promise<void> {
  const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
  const plan = await post<object>("/api/v1/backfills/plan", {
    jobs: ["etl/daily"],
    from: day(300),
    to: day(1),
    select: ["all"],
    parallel: 20,
    share: "1..20",
  });
  await post("/api/v1/backfills", { plan });
}

async function ended(world: World, id: string): Promise<void> {
  await until(async () => (await world.api<Item>(`/api/v1/instances/${id}`)).state === "failed");
}
