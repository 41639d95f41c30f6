import { expect, test } from "vitest";
import type { PlanDiff } from "./queries";
import { markdown, rowsOf, times } from "./rows";

const link = (job: string, planTimes: string[]) => ({ workflow: "shop", job, planTimes, rule: "natural-day", select: "all" });
const name = (job: string, hour: string) => ({ workflow: "shop", job, planTime: `2026-10-01T${hour}:00+08:00` });

const diff: PlanDiff = {
  from: "2026-10-01T00:00:00+08:00",
  to: "2026-10-02T00:00:00+08:00",
  before: { name: "loaded", fingerprint: "a" },
  after: { name: "folder", fingerprint: "b" },
  summary: { text: "+1, −1", added: 1, removed: 1, kept: 3, relinked: 1, later: 1, moved: 0, changed: 0, dropped: 1, bound: 0 },
  jobs: [{ workflow: "shop", job: "<b>_x_</b>", change: "changed", members: ["action", "dependsOn"] }],
  added: [{ ...name("stores", "03:00"), waits: [] }],
  removed: [name("stores", "01:00")],
  relinked: [
    {
      ...name("report", "06:00"),
      later: true,
      before: [link("clicks", ["2026-10-01T05:00:00+08:00"]), link("stores", ["2026-10-01T01:00:00+08:00"])],
      after: [link("clicks", ["2026-10-01T05:00:00+08:00"]), link("stores", ["2026-10-01T03:00:00+08:00", "2026-10-02T03:00:00+08:00"])],
    },
  ],
  changed: [name("mail", "02:00")],
  due: [{ ...name("late", "23:00"), id: "7", fate: "dropped" }],
};

test("what is due comes first, the others by plan time, with what differs of a re-linked one", () => {
  expect(rowsOf(diff).map((row) => [row.mark, row.job, row.before, row.after].filter((one) => one !== undefined).join(" "))).toEqual([
    "! late",
    "− stores",
    "~ mail",
    "+ stores ",
    "~ report stores 01:00 stores 03:00, 10-02 03:00",
  ]);
});

test("of many times the first and the last", () => {
  const list = ["01", "02", "03", "04"].map((hour) => `2026-10-01T${hour}:00:00+08:00`);
  expect(times(list, "2026-10-01T12:00:00+08:00")).toBe("01:00 … 04:00 (4)");
  expect(times([], "2026-10-01T12:00:00+08:00")).toBe("");
});

test("markdown is what a pull request takes, and a name is no markup in it", () => {
  const text = markdown(diff);
  expect(text).toContain("### Plan: +1, −1\n");
  expect(text).toContain("| shop/&lt;b>\\_x\\_&lt;/b> | changed: action, dependsOn |");
  expect(text).toContain("> **Due and not started, and will be cancelled: 1**");
  expect(text).toContain("| ~ | 2026-10-01 06:00 | shop/report | re-linked: stores 01:00 → stores 03:00, 10-02 03:00 (later) |");
});
