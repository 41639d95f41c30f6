import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useDeferredValue, useMemo, useState } from "react";
import { get, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Boundary } from "../parts/boundary";
import { code } from "../parts/code";
import { Loaded, ProblemView } from "../parts/problem";
import { Around } from "./around";
import { Wrong } from "./field";
import type { Field, Form } from "./form";
import { aroundQuery } from "./queries";
import { inScope, jobPattern, nameOf, picked } from "./scope";

const PickGraph = lazy(() => code(() => import("../graph/pick")).then((module) => ({ default: module.PickGraph })));

/** JobsStep asks which jobs: found by their names or by a pattern, and along the dependencies of those. */
export function JobsStep(props: {
  form: Form;
  onChange: (form: Form) => void;
  wrong: (field: Field) => string[];
  drawn: boolean;
  onDraw: (drawn: boolean) => void;
}) {
  const t = useT();
  const { form, onChange, wrong, drawn, onDraw } = props;
  const around = useQuery(aroundQuery(form.jobs));
  return (
    <div className="columns">
      <section className="card stack">
        <h2>{t("wizard.jobs")}</h2>
        {form.jobs.length > 0 && (
          <ul className="chips" aria-label={t("wizard.chosen")}>
            {form.jobs.map((name) => (
              <li key={name}>
                {name}
                <button
                  type="button"
                  className="plain"
                  aria-label={t("wizard.drop", { job: name })}
                  onClick={() => onChange({ ...form, jobs: form.jobs.filter((one) => one !== name) })}
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
        )}
        <Wrong list={wrong("jobs")} />
        <Search chosen={form.jobs} onTake={(names) => onChange({ ...form, jobs: [...new Set([...form.jobs, ...names])] })} />
      </section>
      <section className={drawn ? "card stack across" : "card stack"}>
        <div className="row">
          <h2 className="grow">{t("wizard.around")}</h2>
          {form.jobs.length > 0 && (
            <button type="button" aria-pressed={drawn} onClick={() => onDraw(!drawn)}>
              {t("wizard.graph")}
            </button>
          )}
        </div>
        {form.jobs.length === 0 ? (
          <p className="soft">{t("wizard.aroundFirst")}</p>
        ) : around.error ? (
          <ProblemView error={around.error} retry={() => around.refetch()} />
        ) : (
          <Loaded query={around}>
            {(data) => (
              <>
                {drawn && <Drawn data={data} form={form} onChange={onChange} />}
                <Around data={data} form={form} onChange={onChange} wrong={wrong} />
              </>
            )}
          </Loaded>
        )}
      </section>
    </div>
  );
}

/** Drawn is the same choice on a graph; the list below stays beside it. */
function Drawn(props: { data: Schemas["JobsAround"]; form: Form; onChange: (form: Form) => void }) {
  const t = useT();
  const { data, form, onChange } = props;
  const nodes = useMemo(
    () =>
      data.nodes.map((node) => ({
        id: nameOf(node),
        label: node.job,
        detail: node.manual ? t("wizard.manual") : node.disabled ? t("jobs.disabled") : node.workflow,
      })),
    [data, t],
  );
  const edges = useMemo(() => data.edges.map((edge): [string, string] => [edge.from, edge.to]), [data]);
  const chosen = inScope(data.nodes, form);
  if (nodes.length > 300) return <p className="soft">{t("wizard.graphTooLarge", { n: nodes.length })}</p>;
  return (
    <div className="pickbox">
      <Boundary words={t("error.crash")} reset="">
        <Suspense fallback={<p className="soft">{t("page.loading")}</p>}>
          <PickGraph
            nodes={nodes}
            edges={edges}
            chosen={chosen}
            onChange={(set) => onChange({ ...form, ...picked(data.nodes, form, set) })}
          />
        </Suspense>
      </Boundary>
    </div>
  );
}

const most = 200;

/** Search finds jobs by words or a pattern; Enter takes the first, or all that a pattern matches. */
function Search({ chosen, onTake }: { chosen: string[]; onTake: (names: string[]) => void }) {
  const t = useT();
  const [typed, setTyped] = useState("");
  const asked = useDeferredValue(typed.trim());
  const pattern = jobPattern(asked);
  const query = useQuery({
    queryKey: ["jobs", "choose", pattern.ask],
    queryFn: ({ signal }) => get("/api/v1/jobs", { query: { limit: 500, ...(pattern.ask === "" ? {} : { q: pattern.ask }) }, signal }),
    placeholderData: keepPreviousData,
  });
  const found = (query.data?.items ?? [])
    .filter((job) => job.removed !== true)
    .map((job) => ({ name: `${job.workflow}/${job.job}`, disabled: job.disabled === true }))
    .filter((job) => pattern.matches(job.name) && !chosen.includes(job.name));
  const free = found.filter((job) => !job.disabled).map((job) => job.name);
  const take = () => {
    const names = pattern.many ? free.slice(0, most) : free.slice(0, 1);
    if (asked === "" || names.length === 0) return;
    onTake(names);
    setTyped("");
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <label className="field">
        {t("wizard.find")}
        <input
          type="search"
          data-search
          className="mono"
          spellCheck={false}
          value={typed}
          placeholder="dwd_*  workflow:retail"
          onChange={(event) => setTyped(event.target.value)}
          aria-describedby="find-hint"
        />
        <span className="soft small" id="find-hint">
          {t("wizard.findHint")}
        </span>
      </label>
      {pattern.many && free.length > 1 && (
        <div>
          <button type="submit">{t("wizard.takeAll", { n: Math.min(most, free.length) })}</button>
        </div>
      )}
      <Loaded query={query}>
        {() =>
          found.length === 0 ? (
            <p className="soft">{asked === "" ? t("wizard.noJobs") : t("jobs.none")}</p>
          ) : (
            <ul className="matches" aria-label={t("wizard.found")}>
              {found.slice(0, 50).map((job) => (
                <li key={job.name}>
                  <button type="button" className="plain" disabled={job.disabled} onClick={() => onTake([job.name])}>
                    <span aria-hidden="true">+</span> {job.name}
                    {job.disabled && <span className="soft small">{t("jobs.disabled")}</span>}
                  </button>
                </li>
              ))}
              {(found.length > 50 || query.data?.next !== undefined) && <li className="soft small">{t("wizard.foundMore")}</li>}
            </ul>
          )
        }
      </Loaded>
    </form>
  );
}
