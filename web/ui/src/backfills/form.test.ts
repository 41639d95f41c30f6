import { expect, test } from "vitest";
import { dayCount, fieldOf, formOf, laneMistakes, mistakesOf, readForm, requestOf, writeForm } from "./form";

const form = (text: string) => readForm(new URLSearchParams(text));
const whole =
  "job=a%2Fb&job=a%2Fc&from=2026-10-01&to=2026-10-31&select=stale&up=1&down=x%2Fy%2Cx%2Fz&order=desc&parallel=4&byday=1&stop=1&steps=one%2Ctwo&priority=7&min=1&max=4&wfrom=22%3A00&wto=06%3A00&zone=Europe%2FBerlin&ignore=1";

test("the address is the form, both ways", () => {
  expect(writeForm(form(whole)).toString()).toBe(whole);
  expect(writeForm(form("")).toString()).toBe("");
  expect(writeForm(form("mode=dates")).toString()).toBe("mode=dates");
  expect(writeForm(form("job=a%2Fb&dates=2026-10-01%2C2026-10-15..17")).toString()).toBe("job=a%2Fb&dates=2026-10-01%2C2026-10-15..17");
});

test("the request says what the form does, and a plan's request is a form again", () => {
  const request = requestOf(form(whole));
  expect(request).toMatchObject({
    jobs: ["a/b", "a/c"],
    from: "2026-10-01",
    to: "2026-10-31",
    select: ["stale"],
    upstream: "1",
    downstream: "x/y,x/z",
    order: "desc",
    parallel: 4,
    byDay: true,
    stopOnFailure: true,
    steps: ["one", "two"],
    priority: 7,
    share: "1..4",
    window: "22:00-06:00 Europe/Berlin",
    ignoreMissing: true,
  });
  expect(writeForm(formOf(request)).toString()).toBe(whole);
  expect(JSON.parse(JSON.stringify(requestOf(form("job=a%2Fb&dates=2026-10-01"))))).toEqual({
    jobs: ["a/b"],
    dates: ["2026-10-01"],
    select: ["missing", "failed"],
    order: "asc",
  });
});

test("everything that is wrong is said at once", () => {
  expect(mistakesOf(form(""))).toEqual({ jobs: "wizard.wrong.jobs", from: "wizard.wrong.days", to: "wizard.wrong.days" });
  expect(mistakesOf(form("job=a%2Fb&from=2026-10-02&to=2026-10-01&parallel=0&priority=10&min=4&max=2&wfrom=22:00"))).toEqual({
    to: "wizard.wrong.order",
    parallel: "wizard.wrong.parallel",
    priority: "wizard.wrong.priority",
    share: "wizard.wrong.share",
    window: "wizard.wrong.windowEnds",
  });
  expect(mistakesOf(form("job=a%2Fb&dates=2026-10-99"))).toEqual({ dates: "wizard.wrong.dates" });
  expect(mistakesOf(form(whole))).toEqual({});
});

test.each([
  ["min=1", "wizard.wrong.share"],
  ["min=0&max=0", "wizard.wrong.share"],
  ["min=0&max=2", undefined],
  ["min=1.5&max=2", "wizard.wrong.share"],
  ["wfrom=22:00&wto=24:00", undefined],
  ["wfrom=24:00&wto=06:00", "wizard.wrong.windowEnds"],
  ["wfrom=06:00&wto=06:00", "wizard.wrong.windowEmpty"],
  ["wfrom=22:00&wto=06:00&zone=Europe/Nowhere", "wizard.wrong.zone"],
])("%s", (text, mistake) => {
  expect(Object.values(laneMistakes(form(text)))).toEqual(mistake === undefined ? [] : [mistake]);
});

test("the places of a problem are the fields", () => {
  expect([fieldOf("body.share"), fieldOf("body.jobs[3]"), fieldOf("query.limit"), fieldOf("body.constructor"), fieldOf(undefined)]).toEqual(
    ["share", "jobs", undefined, undefined, undefined],
  );
});

test("days are counted as soon as they are known", () => {
  expect(dayCount(form("from=2026-10-01&to=2026-10-31"))).toBe(31);
  expect(dayCount(form("from=2026-10-01"))).toBe(null);
  expect(dayCount(form("dates=2026-10-01,2026-10-03"))).toBe(2);
});
