import { useInfiniteQuery } from "@tanstack/react-query";
import { Fragment, useMemo } from "react";
import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { eventsQuery } from "../api/queries";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { useAll } from "../parts/all";
import { useNow } from "../parts/now";
import { Loaded } from "../parts/problem";
import { clock, span } from "../parts/time";
import "./steps.css";
import { Gantt } from "./gantt";
import { allAttemptsQuery, stepsQuery } from "./queries";
import { ordered, type Row, type Run, rowsOf, runsOf } from "./spans";
import { StepGraph } from "./stepgraph";
import { LastLook, LookTimes } from "./watches";

type Instance = Schemas["Instance"];

/** Steps are what an instance does: its steps and what each needs, when they waited and ran, and what came of them. */
export default function Steps({ explanation }: { explanation: Schemas["Explanation"] }) {
  const { instance, at } = explanation;
  const steps = useInfiniteQuery({ ...stepsQuery(instance.id), refetchInterval: (explanation.watching ?? []).length > 0 ? 5_000 : false });
  const attempts = useInfiniteQuery(allAttemptsQuery(instance.id));
  const events = useInfiniteQuery(eventsQuery(instance.id));
  const left = [useAll(steps), useAll(attempts), useAll(events)].includes(true);
  return (
    <Loaded query={steps}>
      {(stepPages) => (
        <Loaded query={attempts}>
          {(attemptPages) => (
            <Shown
              instance={instance}
              at={at}
              steps={ordered(stepPages.pages.flatMap((page) => page.items ?? []))}
              attempts={attemptPages.pages.flatMap((page) => page.items ?? [])}
              events={events.data?.pages.flatMap((page) => page.items ?? []) ?? []}
              left={left}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function Shown(props: {
  instance: Instance;
  at: string;
  steps: Schemas["Step"][];
  attempts: Schemas["Attempt"][];
  events: Schemas["Event"][];
  left: boolean;
}) {
  const t = useT();
  const { instance, steps, attempts, events } = props;
  const [search, setSearch] = useAddress();
  const live = instance.state === "running";
  const now = useNow(props.at, live);
  const runs = useMemo(() => runsOf(events, attempts, instance.startedAt), [events, attempts, instance.startedAt]);
  const run = runs.find((one) => String(one.n) === search.get("run")) ?? runs.at(-1);
  const rows = run === undefined ? [] : rowsOf(steps, attempts, run, now, live && run === runs.at(-1));
  const chosen = search.get("step");
  const set = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const choose = (step: string) => {
    set("step", step === chosen ? null : step);
    if (step !== chosen) requestAnimationFrame(() => document.querySelector("tr.chosen")?.scrollIntoView({ block: "nearest" }));
  };
  const plain = steps.filter((step) => step.itemOf === undefined);
  if (steps.length === 0) return <p className="soft">{t("steps.none")}</p>;
  return (
    <>
      {run === undefined ? (
        <p className="soft">{t("steps.notStarted")}</p>
      ) : (
        <RunLine instance={instance} runs={runs} run={run} now={now} onChoose={(n) => set("run", n)} />
      )}
      {plain.length > 1 && (
        <section className="card">
          <h2>{t("steps.graph")}</h2>
          <StepGraph steps={steps} rows={rows} chosen={chosen} onChoose={choose} />
        </section>
      )}
      {run !== undefined && rows.some((row) => row.bars.length > 0) && (
        <section className="card">
          <h2>{t("steps.gantt")}</h2>
          <Gantt rows={rows} run={run} planTime={instance.planTime} now={live ? now : null} />
        </section>
      )}
      <section className="card">
        <h2>{t("steps.list")}</h2>
        <StepTable
          rows={rows.length > 0 ? rows : steps.map((step): Row => ({ step, bars: [], attempts: [], waited: 0, ran: 0 }))}
          chosen={chosen}
          onChoose={choose}
        />
        {props.left && <p className="soft">{t("steps.left")}</p>}
      </section>
    </>
  );
}

/** RunLine says which run is shown, and how long the instance waited for it. */
function RunLine(props: { instance: Instance; runs: Run[]; run: Run; now: number; onChoose: (n: string) => void }) {
  const t = useT();
  const { instance, runs, run } = props;
  const first = run === runs[0];
  const due = Date.parse(instance.notBefore);
  return (
    <div className="row">
      {runs.length > 1 && (
        <>
          <label htmlFor="run">{t("steps.run")}</label>
          <select id="run" value={run.n} onChange={(event) => props.onChoose(event.target.value)}>
            {runs.map((one) => (
              <option key={one.n} value={one.n}>
                {t("steps.runOf", { n: one.n, of: runs.length })}
              </option>
            ))}
          </select>
        </>
      )}
      {first && run.from - due >= 1000 && (
        <span className="soft">{t("steps.waitedFor", { took: span((run.from - due) / 1000, t), at: clock(instance.notBefore) })}</span>
      )}
    </div>
  );
}

function StepTable(props: { rows: Row[]; chosen: string | null; onChoose: (step: string) => void }) {
  const t = useT();
  return (
    <table className="step-table">
      <thead>
        <tr>
          <th scope="col">{t("steps.step")}</th>
          <th scope="col">{t("column.state")}</th>
          <th scope="col">{t("steps.attempts")}</th>
          <th scope="col">{t("steps.waited")}</th>
          <th scope="col">{t("column.took")}</th>
          <th scope="col">{t("steps.exit")}</th>
          <th scope="col">{t("steps.log")}</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => {
          const name = row.step === null ? "error action" : (row.step.step ?? "");
          const last = row.attempts.at(-1);
          const open = row.step !== null && props.chosen === name;
          return (
            <Fragment key={name}>
              <tr className={open ? "chosen" : undefined}>
                <th scope="row">
                  {row.step === null ? (
                    t("instance.errorAction")
                  ) : (
                    <button
                      type="button"
                      className={row.step.itemOf === undefined ? "plain name" : "plain name item"}
                      aria-expanded={open}
                      onClick={() => props.onChoose(name)}
                    >
                      {name === "" ? t("steps.only") : name}
                    </button>
                  )}
                </th>
                <td>
                  <StateMark state={row.step === null ? (last?.outcome ?? "running") : row.step.state} />
                </td>
                <td className="number">{row.attempts.length > 0 ? row.attempts.length : itemWords(row, props.rows, t)}</td>
                <td className="number soft">{row.waited > 0 && span(row.waited / 1000, t)}</td>
                <td className="number">{row.ran > 0 && span(row.ran / 1000, t)}</td>
                <td className="words">
                  {last?.outcome !== undefined && last.outcome !== "succeeded"
                    ? last.text
                    : row.step?.waits !== undefined && <LastLook waits={row.step.waits} />}
                </td>
                <td>
                  {last !== undefined && (
                    <Link
                      href={`?tab=log&attempt=${last.id}`}
                      aria-label={t("steps.logOf", { step: name === "" ? t("steps.only") : name })}
                    >
                      {t("steps.log")}
                    </Link>
                  )}
                </td>
              </tr>
              {open && row.step !== null && (
                <tr className="detail">
                  <td colSpan={7}>
                    <StepDetail row={row} step={row.step} />
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

/** itemWords counts the items of a step that runs once for each. */
function itemWords(row: Row, rows: Row[], t: ReturnType<typeof useT>): string {
  const items = rows.filter((one) => one.step?.itemOf !== undefined && one.step.itemOf === row.step?.step);
  if (items.length === 0) return "";
  return t("steps.items", { done: items.filter((one) => one.step?.state === "succeeded").length, n: items.length });
}

function StepDetail({ row, step }: { row: Row; step: Schemas["Step"] }) {
  const t = useT();
  const outputs = Object.entries(step.outputs ?? {});
  const { waits } = step;
  return (
    <dl className="facts">
      {step.type !== undefined && (
        <>
          <dt>{t("steps.type")}</dt>
          <dd>
            <code>{step.type}</code>
            {step.forEach && ` · ${t("steps.forEach")}`}
          </dd>
        </>
      )}
      {(step.needs ?? []).length > 0 && (
        <>
          <dt>{t("steps.needs")}</dt>
          <dd>{(step.needs ?? []).join(", ")}</dd>
        </>
      )}
      {step.when !== undefined && (
        <>
          <dt>{t("steps.when")}</dt>
          <dd>
            <code>{step.when}</code>
          </dd>
        </>
      )}
      {step.onFailure !== undefined && step.onFailure !== "fail" && (
        <>
          <dt>{t("steps.onFailure")}</dt>
          <dd>{t(`steps.onFailure.${step.onFailure}`)}</dd>
        </>
      )}
      {waits !== undefined && (
        <>
          <dt>{t("steps.waits")}</dt>
          <dd>
            <LastLook waits={waits} />
            <LookTimes waits={waits} />
          </dd>
        </>
      )}
      {outputs.length > 0 && (
        <>
          <dt>{t("instance.outputs")}</dt>
          <dd>
            {outputs.map(([name, value]) => (
              <div key={name} className="mono">
                {name}={value}
              </div>
            ))}
          </dd>
        </>
      )}
      {row.attempts.length > 0 && (
        <>
          <dt>{t("steps.attempts")}</dt>
          <dd>
            {row.attempts.map((one) => (
              <div key={one.id} className="row">
                <Link href={`?tab=log&attempt=${one.id}`}>{t("instance.attempt", { n: one.number })}</Link>
                <StateMark state={one.outcome ?? "running"} />
                <span className="soft number">
                  {clock(one.startedAt)}
                  {one.endedAt !== undefined && ` · ${span((Date.parse(one.endedAt) - Date.parse(one.startedAt)) / 1000, t)}`}
                </span>
                {one.text !== undefined && one.text !== one.outcome && <span>{one.text}</span>}
              </div>
            ))}
          </dd>
        </>
      )}
    </dl>
  );
}
