import { ends, expand, isDay, words } from "./days";
import type { Request } from "./queries";

/** A Form is what the wizard asks, as it is typed. */
export interface Form {
  jobs: string[];
  mode: "range" | "dates";
  from: string;
  to: string;
  dates: string;
  select: string[];
  upstream: string; // "", how many steps, all, or names with commas
  downstream: string;
  order: "asc" | "desc";
  parallel: string;
  byDay: boolean;
  stopOnFailure: boolean;
  steps: string;
  priority: string;
  shareMin: string;
  shareMax: string;
  windowFrom: string;
  windowTo: string;
  windowZone: string;
  ignoreMissing: boolean;
}

/** A Field is a member of the request, of which something may be wrong. */
export type Field =
  | "jobs"
  | "from"
  | "to"
  | "dates"
  | "select"
  | "upstream"
  | "downstream"
  | "order"
  | "parallel"
  | "steps"
  | "priority"
  | "share"
  | "window";

export const stepNames = ["jobs", "days", "how", "review"] as const;
export type Step = (typeof stepNames)[number];

/** In which step each field is asked. */
export const stepOf: Record<Field, Step> = {
  jobs: "jobs",
  upstream: "jobs",
  downstream: "jobs",
  from: "days",
  to: "days",
  dates: "days",
  select: "days",
  order: "how",
  parallel: "how",
  steps: "how",
  priority: "how",
  share: "how",
  window: "how",
};

export const selections = ["missing", "failed", "stale", "all"] as const;

/** readForm is the form that an address holds. What it does not say is as the server has it when nothing is said. */
export function readForm(search: URLSearchParams): Form {
  const text = (name: string) => search.get(name) ?? "";
  const select = words(text("select"));
  return {
    jobs: [...new Set(search.getAll("job"))],
    mode: text("dates") !== "" || text("mode") === "dates" ? "dates" : "range",
    from: text("from"),
    to: text("to"),
    dates: text("dates"),
    select: select.length > 0 ? select : ["missing", "failed"],
    upstream: text("up"),
    downstream: text("down"),
    order: text("order") === "desc" ? "desc" : "asc",
    parallel: text("parallel"),
    byDay: text("byday") === "1",
    stopOnFailure: text("stop") === "1",
    steps: text("steps"),
    priority: text("priority"),
    shareMin: text("min"),
    shareMax: text("max"),
    windowFrom: text("wfrom"),
    windowTo: text("wto"),
    windowZone: text("zone"),
    ignoreMissing: text("ignore") === "1",
  };
}

/** writeForm is the address of a form; what is as it is when nothing is said is left out. */
export function writeForm(form: Form): URLSearchParams {
  const search = new URLSearchParams();
  for (const job of form.jobs) search.append("job", job);
  const select = form.select.join(",");
  const rest: [string, string][] = [
    ["mode", form.mode === "dates" && form.dates === "" ? "dates" : ""],
    ["from", form.mode === "range" ? form.from : ""],
    ["to", form.mode === "range" ? form.to : ""],
    ["dates", form.mode === "dates" ? form.dates : ""],
    ["select", select === "missing,failed" ? "" : select],
    ["up", form.upstream],
    ["down", form.downstream],
    ["order", form.order === "desc" ? "desc" : ""],
    ["parallel", form.parallel],
    ["byday", form.byDay ? "1" : ""],
    ["stop", form.stopOnFailure ? "1" : ""],
    ["steps", form.steps],
    ["priority", form.priority],
    ["min", form.shareMin],
    ["max", form.shareMax],
    ["wfrom", form.windowFrom],
    ["wto", form.windowTo],
    ["zone", form.windowZone],
    ["ignore", form.ignoreMissing ? "1" : ""],
  ];
  for (const [name, value] of rest) if (value !== "") search.set(name, value);
  return search;
}

/** requestOf is what the server is asked; only of a form without mistakes. */
export function requestOf(form: Form): Request {
  const number = (text: string) => (text.trim() === "" ? undefined : Number(text));
  const text = (value: string) => (value.trim() === "" ? undefined : value.trim());
  const flag = (value: boolean) => (value ? true : undefined);
  return {
    jobs: form.jobs,
    from: form.mode === "range" ? text(form.from) : undefined,
    to: form.mode === "range" ? text(form.to) : undefined,
    dates: form.mode === "dates" ? words(form.dates) : undefined,
    select: form.select,
    upstream: text(form.upstream),
    downstream: text(form.downstream),
    order: form.order,
    parallel: number(form.parallel),
    byDay: flag(form.byDay),
    stopOnFailure: flag(form.stopOnFailure),
    steps: text(form.steps) === undefined ? undefined : words(form.steps),
    priority: number(form.priority),
    share: shareOf(form.shareMin, form.shareMax) || undefined,
    window: windowOf(form.windowFrom, form.windowTo, form.windowZone) || undefined,
    ignoreMissing: flag(form.ignoreMissing),
  };
}

/** formOf is the form of a request, such as that of a saved plan. */
export function formOf(request: Request): Form {
  const [shareMin = "", shareMax = ""] = (request.share ?? "").split("..");
  const window = splitWindow(request.window ?? "");
  const text = (value: number | undefined) => (value === undefined || value === 0 ? "" : String(value));
  return {
    jobs: request.jobs,
    mode: (request.dates ?? []).length > 0 ? "dates" : "range",
    from: request.from ?? "",
    to: request.to ?? "",
    dates: (request.dates ?? []).join(","),
    select: (request.select ?? []).length > 0 ? (request.select ?? []) : ["missing", "failed"],
    upstream: request.upstream ?? "",
    downstream: request.downstream ?? "",
    order: request.order === "desc" ? "desc" : "asc",
    parallel: text(request.parallel),
    byDay: request.byDay === true,
    stopOnFailure: request.stopOnFailure === true,
    steps: (request.steps ?? []).join(","),
    priority: text(request.priority),
    shareMin,
    shareMax,
    windowFrom: window.from,
    windowTo: window.to,
    windowZone: window.zone,
    ignoreMissing: request.ignoreMissing === true,
  };
}

export function shareOf(min: string, max: string): string {
  return min.trim() === "" && max.trim() === "" ? "" : `${min.trim()}..${max.trim()}`;
}

export function windowOf(from: string, to: string, zone: string): string {
  return from === "" && to === "" ? "" : `${from}-${to} ${zone.trim() === "" ? "UTC" : zone.trim()}`;
}

/** splitWindow takes a window such as 22:00-06:00 Europe/Berlin apart. */
export function splitWindow(window: string): { from: string; to: string; zone: string } {
  const found = /^(\d{2}:\d{2})-(\d{2}:\d{2})(?: (.*))?$/.exec(window);
  return { from: found?.[1] ?? "", to: found?.[2] ?? "", zone: found?.[3] ?? "" };
}

/** What may be wrong with a field, as a key of the catalogue. */
export type Mistake =
  | "wizard.wrong.jobs"
  | "wizard.wrong.days"
  | "wizard.wrong.day"
  | "wizard.wrong.order"
  | "wizard.wrong.dates"
  | "wizard.wrong.select"
  | "wizard.wrong.parallel"
  | "wizard.wrong.priority"
  | "wizard.wrong.share"
  | "wizard.wrong.windowEnds"
  | "wizard.wrong.windowEmpty"
  | "wizard.wrong.zone";

/** mistakesOf is all that is wrong with a form before the server has seen it: what can be known without the definitions. */
export function mistakesOf(form: Form): Partial<Record<Field, Mistake>> {
  const wrong: Partial<Record<Field, Mistake>> = {};
  if (form.jobs.length === 0) wrong.jobs = "wizard.wrong.jobs";
  if (form.mode === "range") {
    for (const field of ["from", "to"] as const) {
      if (form[field] === "") wrong[field] = "wizard.wrong.days";
      else if (!isDay(form[field])) wrong[field] = "wizard.wrong.day";
    }
    if (wrong.from === undefined && wrong.to === undefined && form.to < form.from) wrong.to = "wizard.wrong.order";
  } else if (words(form.dates).length === 0) wrong.dates = "wizard.wrong.days";
  else if (expand(form.dates) === null) wrong.dates = "wizard.wrong.dates";
  if (form.select.length === 0) wrong.select = "wizard.wrong.select";
  return { ...wrong, ...laneMistakes(form) };
}

/** laneMistakes is what is wrong with how it is to go on. */
export function laneMistakes(
  form: Pick<Form, "parallel" | "priority" | "shareMin" | "shareMax" | "windowFrom" | "windowTo" | "windowZone">,
): Partial<Record<Field, Mistake>> {
  const wrong: Partial<Record<Field, Mistake>> = {};
  if (!within(form.parallel, 1, 1_000_000)) wrong.parallel = "wizard.wrong.parallel";
  if (!within(form.priority, 1, 9)) wrong.priority = "wizard.wrong.priority";
  const share = shareOf(form.shareMin, form.shareMax);
  if (share !== "" && (!/^\d{1,6}\.\.\d{1,6}$/.test(share) || Number(form.shareMin) > Number(form.shareMax) || Number(form.shareMax) < 1)) {
    wrong.share = "wizard.wrong.share";
  }
  const { windowFrom, windowTo } = form;
  if ((windowFrom === "") !== (windowTo === "") || !time(windowFrom) || !(time(windowTo) || windowTo === "24:00")) {
    wrong.window = "wizard.wrong.windowEnds";
  } else if (windowFrom !== "" && windowFrom === windowTo) wrong.window = "wizard.wrong.windowEmpty";
  else if (!zone(form.windowZone)) wrong.window = "wizard.wrong.zone";
  return wrong;
}

function within(text: string, least: number, most: number): boolean {
  const typed = text.trim();
  return typed === "" || (/^\d{1,7}$/.test(typed) && Number(typed) >= least && Number(typed) <= most);
}

function time(text: string): boolean {
  return text === "" || /^([01]\d|2[0-3]):[0-5]\d$/.test(text);
}

function zone(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text.trim() });
    return /^[A-Za-z]/.test(text.trim());
  } catch {
    return false;
  }
}

/** fieldOf is the field that a place of the server's problem names, such as body.share or body.jobs[0]. */
export function fieldOf(location: string | undefined): Field | undefined {
  const name = /^body\.([A-Za-z]+)/.exec(location ?? "")?.[1] ?? "";
  return Object.hasOwn(stepOf, name) ? (name as Field) : undefined;
}

/** dayCount is how many days a form asks about; null while that is not known. */
export function dayCount(form: Form): number | null {
  if (form.mode === "dates") return expand(form.dates, 100_000)?.length ?? null;
  const span = isDay(form.from) && isDay(form.to) ? ends(`${form.from}..${form.to}`) : null;
  return span === null ? null : (Date.parse(span[1]) - Date.parse(span[0])) / 86_400_000 + 1;
}
