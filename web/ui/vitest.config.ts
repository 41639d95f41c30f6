import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts"] } },
      { test: { name: "e2e", include: ["e2e/**/*.e2e.ts"], testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false } },
      { test: { name: "screens", include: ["e2e/screens.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
