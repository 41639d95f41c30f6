import { expect, test } from "vitest";
import { recurrenceWords } from "./words";

const zh = (job: object) => recurrenceWords("zh", "said", { jobs: { j: job } }, "j", "Asia/Shanghai");

test("when a job is due, in Chinese", () => {
  const rule = (recurrence: object, more: object = {}) => zh({ recurrence, ...more });
  expect(rule({ frequency: "day", schedule: { hours: [3], minutes: [30] } })).toBe("每天 03:30，时区 Asia/Shanghai。");
  expect(rule({ frequency: "Week", interval: 2, schedule: { weekDays: ["friday", "monday"], hours: [14, 2], minutes: [15] } })).toBe(
    "每 2 周 周一、周五 02:15、14:15，时区 Asia/Shanghai。",
  );
  expect(rule({ frequency: "month", schedule: { monthDays: [1, -1, -3] } })).toBe("每月 1 日、最后一天、倒数第 3 天，时区 Asia/Shanghai。");
  expect(
    rule({
      frequency: "month",
      schedule: {
        monthlyOccurrences: [
          { day: "tuesday", occurrence: 2 },
          { day: "friday", occurrence: -1 },
        ],
      },
    }),
  ).toBe("每月 第 2 个周二、最后一个周五，时区 Asia/Shanghai。");
  expect(rule({ frequency: "month", schedule: { workDays: [-1], hours: [20] } }, { calendar: "bank" })).toBe(
    "每月 最后一个工作日 20 点，按日历 bank，时区 Asia/Shanghai。",
  );
  expect(rule({ frequency: "minute", interval: 15 })).toBe("每 15 分钟，时区 Asia/Shanghai。");
  expect(rule({ frequency: "day", schedule: { minutes: [0, 30] } })).toBe("每天 每小时的第 0、30 分，时区 Asia/Shanghai。");
  expect(rule({ frequency: "day", count: 3, endTime: "2027-01-01T00:00:00+08:00" }, { startTime: "2026-01-01T06:00:00+08:00" })).toBe(
    "每天，从 2026-01-01 06:00+08:00 起，共 3 次，到 2027-01-01 00:00+08:00 止，时区 Asia/Shanghai。",
  );
  expect(zh({ cron: "0 8 * * *" })).toBe("按 cron 表达式 0 8 * * *，时区 Asia/Shanghai。");
  expect(zh({ trigger: "manual" })).toBe("只按需运行。");
  expect(zh({})).toBe("一次，立即，时区 Asia/Shanghai。");
});

test("what is not understood stays in the server's words", () => {
  expect(zh({ recurrence: { frequency: "fortnight" } })).toBe("said");
  expect(zh({ recurrence: { frequency: "day", schedule: { moons: [1] } } })).toBe("said");
  expect(recurrenceWords("zh", "said", null, "j", undefined)).toBe("said");
  expect(recurrenceWords("en", "said", { jobs: { j: {} } }, "j", undefined)).toBe("said");
});
