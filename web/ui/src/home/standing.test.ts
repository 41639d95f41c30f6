import { expect, test } from "vitest";
import { standing } from "./standing";

const well = { concerns: 0, folder: false, failed: 0, late: 0, ready: true };

test("that nothing is wrong is said only when nothing is", () => {
  expect(standing(well)).toEqual({ text: "home.nothing", well: true });
  for (const trouble of [{ folder: true }, { failed: 1 }, { late: 1 }, { ready: false }, { folder: true, failed: 1 }]) {
    expect(standing({ ...well, ...trouble })?.well, JSON.stringify(trouble)).toBe(false);
  }
});

test("where something is named, nothing more is said", () => {
  expect(standing({ ...well, concerns: 1, folder: true })).toBeUndefined();
});

test("what has failed is announced only where nothing else is wrong", () => {
  expect(standing({ ...well, failed: 2 })?.text).toBe("home.noneWaits");
  expect(standing({ ...well, failed: 2, folder: true })?.text).toBe("home.elseWrong");
});
