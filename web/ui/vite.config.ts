import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** What a browser loads before the first page shows may be at most this long, compressed. */
const firstLoad = 150 * 1024;

/** budget ends the build when what the document loads at first is over its size. */
function budget(): Plugin {
  return {
    name: "budget",
    generateBundle(_, bundle) {
      const first = new Set<string>();
      const add = (name: string) => {
        const chunk = bundle[name];
        if (chunk?.type !== "chunk" || first.has(name)) return;
        first.add(name);
        chunk.imports.forEach(add);
      };
      for (const [name, chunk] of Object.entries(bundle)) {
        if (chunk.type === "chunk" && chunk.isEntry) add(name);
        if (chunk.type === "asset" && name.endsWith(".css")) first.add(name);
      }
      let bytes = 0;
      for (const name of first) {
        const one = bundle[name];
        bytes += gzipSync(one?.type === "chunk" ? one.code : (one?.source ?? "")).length;
      }
      this.info(`first load: ${(bytes / 1024).toFixed(1)} KiB compressed`);
      if (bytes > firstLoad) this.error(`the first load is ${bytes} bytes compressed, over ${firstLoad}`);
    },
  };
}

export default defineConfig({
  plugins: [react(), budget()],
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:8080" } },
});
