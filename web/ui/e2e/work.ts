import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";

/** A Task is one piece of work of a thread. */
export interface Task {
  cpu: number; // milliseconds of the processor: what other programs take of the machine meanwhile is not in it
  wall: number;
}

/** Work is what the threads of a page did in a while. Tasks are the longest first, by what they took of the processor. */
export interface Work<T> {
  result: T;
  main: Task[]; // what a person waits for: while it runs, nothing moves
  worker: Task[]; // beside the page
}

interface Event {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number; // microseconds
  tdur?: number; // of the processor
  args?: { name?: string };
}

const ours = "work of this page";

/** workOf traces what a page does while something is done with it. Other pages of the browser, and what is left of the page before, are not in it. */
export async function workOf<T>(browser: Browser, page: Page, what: () => Promise<T>): Promise<Work<T>> {
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
  let result: T;
  let trace: Buffer;
  try {
    result = await what();
    await page.evaluate((name) => performance.mark(name), ours);
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: Event[] };
  const mark = traceEvents.find((event) => event.name === ours);
  if (mark === undefined) throw new Error("the trace has nothing of the page");
  const workers = new Set<number>();
  for (const { name, pid, tid, args } of traceEvents) {
    if (name === "thread_name" && pid === mark.pid && args?.name?.startsWith("DedicatedWorker")) workers.add(tid);
  }
  const tasks = (of: (tid: number) => boolean) =>
    traceEvents
      .filter(({ name, ph, pid, tid }) => ph === "X" && name === "ThreadControllerImpl::RunTask" && pid === mark.pid && of(tid))
      .map(({ dur = 0, tdur = 0 }): Task => ({ cpu: tdur / 1_000, wall: dur / 1_000 }))
      .sort((a, b) => b.cpu - a.cpu);
  const main = tasks((tid) => tid === mark.tid);
  if (main.length === 0 || (main[0]?.cpu ?? 0) === 0) throw new Error("the trace does not tell what tasks took");
  return { result, main, worker: tasks((tid) => workers.has(tid)) };
}

export const longest = (tasks: Task[]) => tasks[0]?.cpu ?? 0;

/** A Cost is what something took, in milliseconds. */
export interface Cost<T> {
  result: T;
  wall: number;
  free: number; // of these, those in which nothing on the machine waited for a processor: what a quiet machine would not be quicker in
  cpu: number; // of all processors, by the browser and the server together: one quiet processor would take no longer
}

/** costOf measures what the browser and a server do until something is done. */
export async function costOf<T>(browser: Browser, server: number, what: () => Promise<T>): Promise<Cost<T>> {
  const cdp = await browser.newBrowserCDPSession();
  const spent = async () => {
    const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
    return new Map(processInfo.map(({ id, cpuTime }) => [id, cpuTime * 1_000])).set(server, cpuOf(server));
  };
  const [before, stalledBefore, begin] = [await spent(), stalled(), performance.now()];
  const result = await what();
  const wall = performance.now() - begin;
  const free = wall - (stalled() - stalledBefore);
  let cpu = 0;
  for (const [id, time] of await spent()) cpu += time - (before.get(id) ?? 0);
  await cdp.detach();
  return { result, wall, free, cpu };
}

/** cpuOf is what a process has taken of the processors so far, in milliseconds: fields 14 and 15 of its line, in hundredths of a second. */
function cpuOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** stalled is for how many milliseconds, since the machine was started, something on it waited for a processor. A machine that does not tell never did. */
function stalled(): number {
  try {
    return Number(/^some .*total=(\d+)/m.exec(readFileSync("/proc/pressure/cpu", "utf8"))?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
