import { expect, test } from "vitest";
import { once } from "./code";

const storage = (kept: string | null) => ({ getItem: () => kept });

test("the page is loaded anew once for a build and a path, and again after a while", () => {
  const [mark, now] = ["/assets/index-1.js /jobs", 1_000_000];
  expect(once(mark, storage(null), now)).toBe(true);
  expect(once(mark, storage(`${now - 1_000} ${mark}`), now)).toBe(false);
  expect(once(mark, storage(`${now - 301_000} ${mark}`), now)).toBe(true);
  expect(once("/assets/index-2.js /jobs", storage(`${now - 1_000} ${mark}`), now)).toBe(true);
  expect(once("/assets/index-1.js /day", storage(`${now - 1_000} ${mark}`), now)).toBe(true);
  expect(once(mark, storage("what another build wrote"), now)).toBe(true);
});
