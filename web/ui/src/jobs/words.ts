import type { Language, Translate } from "../i18n/language";

type Tree = Record<string, unknown>;

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const units: Record<string, [string, string]> = {
  minute: ["每分钟", "分钟"],
  hour: ["每小时", "小时"],
  day: ["每天", "天"],
  week: ["每周", "周"],
  month: ["每月", "个月"],
  year: ["每年", "年"],
};
const weekdayNames = ["周一", "周二", "周三", "周四", "周五", "周六", "周日"];

/**
 * recurrenceWords says when a job is due. The server says it in English; in Chinese it is made of the definition, and where that says what is not known here, the server's sentence
 * stands.
 */
export function recurrenceWords(
  language: Language,
  said: string | undefined,
  definition: unknown,
  job: string,
  zone: string | undefined,
): string {
  if (language !== "zh") return said ?? "";
  const own = isTree(definition) && isTree(definition.jobs) ? definition.jobs[job] : undefined;
  const words = isTree(own) ? when(own) : null;
  if (words === null) return said ?? "";
  const manual = isTree(own) && "trigger" in own;
  return `${words}${zone === undefined || manual ? "" : `，时区 ${zone}`}。`;
}

function when(job: Tree): string | null {
  const { recurrence, cron, at, trigger, startTime, endTime } = job;
  let words: string | null;
  if (trigger !== undefined) return "只按需运行";
  if (isTree(recurrence)) words = rule(recurrence);
  else if (typeof cron === "string") words = `按 cron 表达式 ${cron}`;
  else if (Array.isArray(at)) return at.length > 3 ? `共 ${at.length} 个时间点` : `在 ${at.map((one) => stamp(String(one))).join("、")}`;
  else return typeof startTime === "string" ? `一次，在 ${stamp(startTime)}` : "一次，立即";
  if (words === null) return null;
  if (typeof startTime === "string") words += `，从 ${stamp(startTime)} 起`;
  if (isTree(recurrence) && typeof recurrence.count === "number") words += `，共 ${recurrence.count} 次`;
  const end = isTree(recurrence) && typeof recurrence.endTime === "string" ? recurrence.endTime : endTime;
  if (typeof end === "string") words += `，到 ${stamp(end)} 止`;
  if (typeof job.calendar === "string") words += `，按日历 ${job.calendar}`;
  return words;
}

function rule(recurrence: Tree): string | null {
  const unit = units[String(recurrence.frequency).toLowerCase()];
  const interval = recurrence.interval ?? 1;
  if (unit === undefined || typeof interval !== "number") return null;
  const words = interval === 1 ? unit[0] : `每 ${interval} ${unit[1]}`;
  const { schedule } = recurrence;
  if (schedule === undefined) return words;
  if (!isTree(schedule)) return null;
  const known = ["minutes", "hours", "weekDays", "monthDays", "monthlyOccurrences", "workDays"];
  if (Object.keys(schedule).some((key) => !known.includes(key))) return null;
  const days = daysOf(schedule);
  const times = timesOf(schedule, String(recurrence.frequency).toLowerCase());
  return days === null ? null : [words, days, times].filter((part) => part !== "").join(" ");
}

function daysOf(schedule: Tree): string | null {
  const sets: string[] = [];
  if (Array.isArray(schedule.weekDays)) {
    const chosen = schedule.weekDays.map((one) => weekdays.indexOf(String(one).toLowerCase()));
    if (chosen.includes(-1)) return null;
    sets.push(list(chosen.sort((a, b) => a - b).map((n) => weekdayNames[n] ?? "")));
  }
  if (Array.isArray(schedule.monthDays)) sets.push(list(schedule.monthDays.map((n) => nth(Number(n), "日", "天"))));
  if (Array.isArray(schedule.monthlyOccurrences)) {
    const named: string[] = [];
    for (const one of schedule.monthlyOccurrences) {
      const n = isTree(one) ? weekdays.indexOf(String(one.day).toLowerCase()) : -1;
      if (!isTree(one) || n < 0) return null;
      const name = weekdayNames[n] ?? "";
      named.push(typeof one.occurrence === "number" ? nth(one.occurrence, `个${name}`, `个${name}`) : `每个${name}`);
    }
    sets.push(list(named));
  }
  if (Array.isArray(schedule.workDays)) sets.push(list(schedule.workDays.map((n) => nth(Number(n), "个工作日", "个工作日"))));
  return sets.join("且 ");
}

/** nth writes 3 as the third and -1 as the last. */
function nth(n: number, what: string, fromEnd: string): string {
  if (n > 0) return what === "日" ? `${n} 日` : `第 ${n} ${what}`;
  return n === -1 ? `最后一${fromEnd}` : `倒数第 ${-n} ${fromEnd}`;
}

function timesOf(schedule: Tree, frequency: string): string {
  const numbers = (value: unknown) => (Array.isArray(value) ? [...new Set(value.map(Number))].sort((a, b) => a - b) : []);
  const two = (n: number) => String(n).padStart(2, "0");
  const hours = numbers(schedule.hours);
  const minutes = numbers(schedule.minutes);
  if (hours.length > 0 && minutes.length > 0 && hours.length * minutes.length <= 6 && frequency !== "minute") {
    return list(hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`)));
  }
  const parts: string[] = [];
  if (hours.length > 0) parts.push(`${list(hours.map((hour) => `${hour}`))} 点`);
  if (minutes.length > 0)
    parts.push(
      `${hours.length === 0 && frequency !== "hour" && frequency !== "minute" ? "每小时的" : ""}第 ${list(minutes.map((minute) => `${minute}`))} 分`,
    );
  return parts.join("的");
}

const list = (words: string[]) => words.join("、");
const stamp = (at: string) => at.replace("T", " ").replace(/:00(?=[Z+-]|$)/, "");
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** weekdayWords are the names of the days of the week, Monday first. */
export function weekdayWords(t: Translate): string[] {
  return (["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const).map((one) => t(`weekday.${one}`));
}
