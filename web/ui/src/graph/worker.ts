import workerUrl from "./layout.worker?worker&url";

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): unknown };
}

const factory = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;

/**
 * The one policy of trusted types that the server allows. A worker begins with an address, and the page's policy lets only a trusted one be that: this one trusts
 * the path of the graph's worker, to the letter, and nothing else. It is made as the first thing that runs, so that no other code can take its name.
 */
const policy = factory?.createPolicy("almanac-worker", {
  createScriptURL: (url) => {
    if (url !== workerUrl) throw new TypeError("only the graph's own worker is started");
    return url;
  },
});

/** newLayoutWorker starts the worker that lays graphs out. */
export function newLayoutWorker(): Worker {
  const trusted = policy ? policy.createScriptURL(workerUrl) : workerUrl;
  return new Worker(trusted as string, { type: "module", name: "layout" });
}
