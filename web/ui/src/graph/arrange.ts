import type { Laid, Plan } from "./layout";
import { newLayoutWorker } from "./worker";

const longest = 20_000;

type Answer = { id: number; laid?: Laid; failed?: string };

/** One worker is kept warm for all graphs of the page. */
let worker: Worker | null = null;
let last = 0;

/** arrangeInWorker lays a graph out in the worker. What takes too long is given up, with its worker. */
export function arrangeInWorker(plan: Plan, signal: AbortSignal): Promise<Laid> {
  worker ??= newLayoutWorker();
  const own = worker;
  const id = ++last;
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      own.removeEventListener("message", hear);
      own.removeEventListener("error", broken);
    };
    const hear = (event: MessageEvent<Answer>) => {
      if (event.data.id !== id) return;
      end();
      const { laid, failed } = event.data;
      if (!laid) return reject(new Error(failed));
      performance.measure("graph layout", { start: performance.now() - laid.took, duration: laid.took, detail: plan.boxes.length });
      resolve(laid);
    };
    const give = (why: Error) => {
      end();
      own.terminate();
      if (worker === own) worker = null;
      reject(why);
    };
    const broken = (event: ErrorEvent) => give(new Error(event.message));
    const timer = setTimeout(() => give(new Error("timeout")), longest);
    own.addEventListener("message", hear);
    own.addEventListener("error", broken);
    signal.addEventListener("abort", () => {
      end();
      reject(signal.reason);
    });
    own.postMessage({ id, plan });
  });
}
