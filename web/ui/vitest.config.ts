import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts"] } },
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.e2e.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } }, // on a machine that has much to do, what comes about comes later
          retry: 1, // and is told as retried
          maxWorkers: 2, // each has a browser and servers of its own
        },
      },
      { test: { name: "screens", include: ["e2e/screens.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
