import type { Schemas } from "../api/client";

export type JobDay = Schemas["JobDay"];

const day = 86_400_000;

/** daysAfter is the date so many days after another. Dates are texts such as 2026-11-21 and know no clock: days are those of the calendar, however long they are. */
export function daysAfter(date: string, n: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + n * day).toISOString().slice(0, 10);
}

/** weekday is the day of the week of a date: 0 is Monday. */
export function weekday(date: string): number {
  return (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
}

export function monday(date: string): string {
  return daysAfter(date, -weekday(date));
}

export function dayOfMonth(date: string): number {
  return Number(date.slice(8));
}

/** monthAfter is the month so many months after another; months are texts such as 2026-11. */
export function monthAfter(month: string, n: number): string {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + n;
  return `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}`;
}

/** isMonth reports whether a text from the address is a month that can be asked for. */
export function isMonth(text: string): boolean {
  return /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])$/.test(text) && text < "9998-01";
}

/** weeksOf are whole weeks of dates, Monday first, from the one that holds the first date to the one that holds the last. */
export function weeksOf(first: string, last: string): string[][] {
  const weeks: string[][] = [];
  for (let start = monday(first); start <= last; start = daysAfter(start, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, n) => daysAfter(start, n)));
  }
  return weeks;
}

/** monthWeeks are the weeks that a month touches. */
export function monthWeeks(month: string): string[][] {
  return weeksOf(`${month}-01`, daysAfter(`${monthAfter(month, 1)}-01`, -1));
}

/** The year that the heat map shows about a day: 52 weeks, with the one of that day, and four that are to come. */
export function yearAbout(today: string): { from: string; to: string; weeks: string[][] } {
  const from = daysAfter(monday(today), -51 * 7);
  const to = daysAfter(monday(today), 5 * 7);
  return { from, to, weeks: weeksOf(from, daysAfter(to, -1)) };
}

/** A Face is how a day is shown: by its worst state, or planned, or without anything. */
export function faceOf(one: JobDay | undefined): string {
  if (one?.worst !== undefined) return one.worst;
  return (one?.planned ?? 0) > 0 ? "planned" : "none";
}

export const levels = 5;

/** thresholds cut durations into levels: each holds about as many days as another, equal durations are of one level. They are the least of each level but the first. */
export function thresholds(days: JobDay[]): number[] {
  const sorted = days.flatMap((one) => one.medianSeconds ?? []).sort((a, b) => a - b);
  const cuts = Array.from({ length: levels - 1 }, (_, n) => sorted[Math.floor((sorted.length * (n + 1)) / levels)]);
  return [...new Set(cuts)].filter((cut): cut is number => cut !== undefined && cut > (sorted[0] ?? 0));
}

/** levelOf is the level of a duration, from 1 on; 0 where there is none. */
export function levelOf(seconds: number | undefined, cuts: number[]): number {
  if (seconds === undefined) return 0;
  return 1 + cuts.filter((cut) => seconds >= cut).length;
}

/** moved is the date on which an arrow ends within the dates of a grid of weeks; the same where it leads out. */
export function moved(date: string, key: string, first: string, last: string): string | null {
  const steps: Record<string, number> = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1, PageUp: -28, PageDown: 28 };
  const step = steps[key];
  const to = key === "Home" ? first : key === "End" ? last : step === undefined ? null : daysAfter(date, step);
  if (to === null) return null;
  return to < first || to > last ? date : to;
}

/**
 * restOf is how many plan times of a day are not named beside those that are: "" for none. next are the job's next plan times, of which only the first few are told: a day on which all of
 * them are may have any number more.
 */
export function restOf(date: string, due: number, named: number, next: string[]): string {
  if (next.length > 1 && next.every((at) => at.startsWith(date))) return "…";
  return due > named ? `+${due - named}` : "";
}

/** namedTimes are so many of the times of a day as there is room for: those that are marked before the others, in the order of time. */
export function namedTimes(times: string[], room: number, marked: (at: string) => boolean): string[] {
  if (times.length <= room) return times;
  const chosen = new Set([...times.filter(marked), ...times.filter((at) => !marked(at))].slice(0, room));
  return times.filter((at) => chosen.has(at));
}

/** selectorOf chooses the instances of a job of one day. */
export function selectorOf(workflow: string, job: string, date: string): string {
  return `job:${workflow}/${job} date:${date}`;
}
