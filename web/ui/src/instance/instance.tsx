import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link, useParams } from "wouter";
import type { Schemas } from "../api/client";
import { attemptsQuery, explainQuery } from "../api/queries";
import { StateMark } from "../design/state";
import type { Key } from "../i18n/en";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { Boundary } from "../parts/boundary";
import { code } from "../parts/code";
import { Loaded } from "../parts/problem";
import { Tabs } from "../parts/tabs";
import { clock, offset } from "../parts/time";
import { Acts } from "./acts";
import { Attempts } from "./attempts";
import { Dependencies } from "./dependencies";
import { Details } from "./details";
import { History } from "./history";
import { Operations } from "./operations";
import { Runs } from "./runs";
import { Why } from "./why";

const LogView = lazy(() => code(() => import("../log/log")).then((module) => ({ default: module.LogView })));

const Steps = lazy(() => code(() => import("./steps")));
const Versions = lazy(() => code(() => import("./versions")));

/** The tabs, and their names. */
const names = {
  why: "instance.why",
  steps: "instance.steps",
  log: "instance.log",
  waits: "instance.waits",
  version: "instance.version.tab",
  history: "instance.history",
  details: "instance.details",
} as const satisfies Record<string, Key>;
type Tab = keyof typeof names;
const all = Object.keys(names) as Tab[];

/** InstancePage is one instance: why it is where it is, what it wrote, what it waits for, what happened to it, and what can be done. */
export default function InstancePage() {
  const { id } = useParams<{ id: string }>();
  // What a step has looked at and not found is no change that the stream tells of.
  const query = useQuery({
    ...explainQuery(id),
    refetchInterval: ({ state }) => ((state.data?.watching ?? []).length > 0 ? 5_000 : false),
  });
  return <Loaded query={query}>{(explanation) => <Shown explanation={explanation} />}</Loaded>;
}

export function Shown({ explanation }: { explanation: Schemas["Explanation"] }) {
  const t = useT();
  const [search, setSearch] = useAddress();
  const { instance } = explanation;
  const tabs = explanation.planned ? all : all.filter((one) => one === "why" || one === "waits" || one === "details");
  const asked = search.get("tab");
  const tab = tabs.find((one) => one === asked) ?? "why";
  const choose = (next: Tab) => {
    const name = search.get("i"); // of one that is not written down
    setSearch({ ...(name === null ? {} : { i: name }), ...(next === "why" ? {} : { tab: next }) }, { replace: true });
  };
  return (
    <>
      <header className="stack">
        <div className="row">
          <h1>
            <Link href={`/jobs/${encodeURIComponent(instance.workflow)}/${encodeURIComponent(instance.job)}`}>
              {instance.workflow}/{instance.job}
            </Link>{" "}
            <span className="number">{clock(instance.planTime)}</span>
          </h1>
          <StateMark state={instance.state} gate={instance.gate} />
          <span className="soft small">
            {offset(instance.planTime)}
            {explanation.planned && ` · ${t("column.id")} ${instance.id}`}
            {(instance.run ?? 1) > 1 && ` · ${t("runs.one", { n: instance.run ?? 1 })}`}
          </span>
          <span className="grow" />
          <Link
            className="button"
            href={explanation.planned ? `/instances/${instance.id}/graph` : `/graph?${new URLSearchParams({ i: instance.name })}`}
          >
            {t("graph.title")}
          </Link>
        </div>
        <p>{instance.reason.text}</p>
        {instance.cancel && <p className="failed">{t("instance.cancelling", { why: instance.cancel.text })}</p>}
        {instance.dryRun && <p className="soft">{t("instance.dryRun")}</p>}
        <Acts explanation={explanation} />
        {!explanation.planned && <p className="soft">{t("ahead.planned")}</p>}
        <div className="row">
          <Operations explanation={explanation} />
          {instance.kind !== "manual" && explanation.planned && (
            <Link className="button" href={backfillOf(instance)}>
              {t("backfill.of")}
            </Link>
          )}
        </div>
      </header>
      <Tabs label={t("instance.tabs")} tabs={tabs} chosen={tab} onChoose={choose} word={(one) => t(names[one])} />
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="stack grow">
        {tab === "why" && <Why explanation={explanation} />}
        {tab === "waits" && <Dependencies explanation={explanation} />}
        {tab === "why" && (instance.run ?? 1) > 1 && <Runs id={instance.id} />}
        {tab === "history" && (
          <>
            <Runs id={instance.id} />
            <History id={instance.id} />
          </>
        )}
        {tab === "details" && <Details instance={instance} />}
        {tab === "log" && <Logs id={instance.id} />}
        <Boundary words={t("error.crash")} reset="">
          <Suspense fallback={<p className="soft">{t("page.loading")}</p>}>
            {tab === "steps" && <Steps explanation={explanation} />}
            {tab === "version" && <Versions instance={instance} />}
          </Suspense>
        </Boundary>
      </div>
    </>
  );
}

/** backfillOf leads to a backfill of the instance's job and day, as its zone has it. */
function backfillOf(instance: Schemas["Instance"]): string {
  const day = instance.planTime.slice(0, 10);
  return `/backfills/new?${new URLSearchParams({ job: `${instance.workflow}/${instance.job}`, from: day, to: day })}`;
}

function Logs({ id }: { id: string }) {
  const t = useT();
  const query = useQuery(attemptsQuery(id));
  const [search, setSearch] = useAddress();
  return (
    <Loaded query={query}>
      {({ items }) => {
        const chosen = items.find((one) => one.id === search.get("attempt")) ?? items.at(-1);
        if (!chosen) return <p className="soft">{t("instance.attemptsNone")}</p>;
        return (
          <>
            <Attempts items={items} chosen={chosen.id} onChoose={(attempt) => setSearch({ tab: "log", attempt }, { replace: true })} />
            <Boundary words={t("error.crash")} reset="">
              <Suspense fallback={<p className="soft">{t("page.loading")}</p>}>
                <LogView key={chosen.id} attempt={chosen.id} number={chosen.number} truncated={chosen.truncated === true} />
              </Suspense>
            </Boundary>
          </>
        );
      }}
    </Loaded>
  );
}
