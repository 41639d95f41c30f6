import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { get } from "../api/client";
import { useT } from "../i18n/language";
import { Command } from "../parts/command";
import { Loaded } from "../parts/problem";

const hello = `workflow: hello
defaults:
  recurrence: { frequency: day, schedule: { hours: [1], minutes: [0] } }
jobs:
  load:
    action: { type: shell, command: echo loaded }
  report:
    dependsOn: [load]
    action: { type: shell, command: echo reported }`;

/** Start says what to do first on a server that has planned nothing. */
export function Start() {
  const t = useT();
  const jobs = useQuery({
    queryKey: ["list", "jobs", "any"],
    queryFn: ({ signal }) => get("/api/v1/jobs", { query: { limit: 500 }, signal }),
  });
  return (
    <section className="card stack start">
      <h2>{t("home.start")}</h2>
      <Loaded query={jobs}>
        {({ items, next }) => {
          const n = (items ?? []).length;
          if (n > 0) {
            return (
              <>
                <p>{t("home.start.jobs", { n: next === undefined ? n : `${n}+` })}</p>
                <Link href="/jobs">{t("home.start.jobsGo")}</Link>
              </>
            );
          }
          return (
            <>
              <p>{t("home.start.none")}</p>
              <ol className="stack">
                <li>
                  {t("home.start.write")}
                  <pre>{hello}</pre>
                </li>
                <li>
                  {t("home.start.check")}
                  <Command text="almanac validate pipelines" />
                </li>
                <li>
                  {t("home.start.serve")}
                  <Command text="almanac serve pipelines" />
                </li>
              </ol>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
