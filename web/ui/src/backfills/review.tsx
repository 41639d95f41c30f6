import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { ApiError } from "../api/client";
import { useT } from "../i18n/language";
import { Act, useRefusal } from "../parts/act";
import { ProblemView } from "../parts/problem";
import { stamp } from "../parts/time";
import { toast } from "../shell/toasts";
import { Compared } from "./compared";
import { type Form, fieldOf, type Step, stepOf } from "./form";
import { compare, type Filter, planText } from "./planfile";
import { PlanList } from "./planlist";
import { applyPlan, type Plan } from "./queries";
import { Summary } from "./summary";

/** Review shows what a plan would do before it is applied: how much, why, each instance; and applies it. */
export function Review(props: {
  plan: { data: Plan | undefined; error: Error | null; isFetching: boolean; refetch: () => unknown };
  opened: Plan | null;
  earlier: Plan | null;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  onAgain: (than: Plan | null) => void;
  onChange: (part: Partial<Form>) => void;
  onStep: (step: Step) => void;
}) {
  const t = useT();
  const { opened, earlier, onAgain, onStep } = props;
  const fresh = props.plan.data;
  const plan = opened ?? fresh;
  const { error } = props.plan;
  return (
    <>
      {error !== null && !props.plan.isFetching && <Refusal error={error} retry={() => onAgain(null)} onStep={onStep} />}
      {props.plan.isFetching && (
        <p className="soft" role="status">
          {t(opened === null ? "wizard.planning" : "wizard.comparing")}
        </p>
      )}
      {opened !== null && fresh !== undefined && <Opened opened={opened} fresh={fresh} onAgain={() => onAgain(opened)} />}
      {earlier !== null && opened === null && fresh !== undefined && !props.plan.isFetching && (
        <section className="card stack">
          <h2>{t("wizard.comparedTitle")}</h2>
          <Compared then={earlier} now={fresh} />
        </section>
      )}
      {plan !== undefined && !(props.plan.isFetching && opened === null) && (
        <>
          <Summary plan={plan} filter={props.filter} onFilter={props.onFilter} onChange={props.onChange} />
          <PlanList plan={plan} filter={props.filter} onFilter={props.onFilter} />
          <Apply plan={plan} spoilt={opened !== null && (fresh === undefined || spoilt(opened, fresh))} onAgain={() => onAgain(plan)} />
        </>
      )}
    </>
  );
}

/** spoilt reports whether the list of a saved plan is not what its fingerprint stands for: what would run is not what was read. */
function spoilt(opened: Plan, fresh: Plan): boolean {
  return opened.fingerprint === fresh.fingerprint && compare(opened, fresh, 1).changes.length > 0;
}

function Refusal({ error, retry, onStep }: { error: Error; retry: () => void; onStep: (step: Step) => void }) {
  const t = useT();
  const steps = new Set<Step>();
  if (error instanceof ApiError) {
    for (const one of error.problem.errors ?? []) {
      const field = fieldOf(one.location);
      if (field !== undefined) steps.add(stepOf[field]);
    }
  }
  return (
    <div className="stack">
      <ProblemView error={error} retry={retry} />
      {steps.size > 0 && (
        <div className="row">
          <span>{t("wizard.correct")}</span>
          {[...steps].map((step) => (
            <button type="button" key={step} onClick={() => onStep(step)}>
              {t(`wizard.step.${step}`)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Opened says how a plan that was opened from a file stands to what is there now. */
function Opened({ opened, fresh, onAgain }: { opened: Plan; fresh: Plan; onAgain: () => void }) {
  const t = useT();
  const same = useMemo(() => compare(opened, fresh, 1).changes.length === 0, [opened, fresh]);
  if (same) return <p className="good">{t("wizard.holds", { at: stamp(opened.at) })}</p>;
  return (
    <section className="card stack">
      <p className="failed">
        {t(opened.fingerprint === fresh.fingerprint ? "wizard.tampered" : "wizard.differs", { at: stamp(opened.at) })}
      </p>
      <Compared then={opened} now={fresh} />
      <div>
        <button type="button" onClick={onAgain}>
          {t("wizard.again")}
        </button>
      </div>
    </section>
  );
}

function Apply({ plan, spoilt, onAgain }: { plan: Plan; spoilt: boolean; onAgain: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [, go] = useLocation();
  const [note, setNote] = useState("");
  const refusal = useRefusal("operator");
  const apply = useMutation({
    mutationFn: () => applyPlan(plan, note),
    onSuccess: async (made) => {
      toast({ text: t("wizard.applied", { n: plan.in }), href: `/backfills/${encodeURIComponent(made.id)}` });
      await client.invalidateQueries({ queryKey: ["list"] });
      go(`/backfills/${encodeURIComponent(made.id)}`);
    },
  });
  const problem = apply.error instanceof ApiError ? apply.error.problem : undefined;
  const save = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([planText(plan)], { type: "application/json" }));
    link.download = `${plan.id}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <form
      className="card stack applying"
      onSubmit={(event) => {
        event.preventDefault();
        apply.mutate();
      }}
    >
      {problem?.code === "drift" ? (
        <div className="problem stack" role="alert">
          <strong>{t("wizard.drift")}</strong>
          <ul>
            {(problem.errors ?? []).map((one) => (
              <li key={one.message}>{one.message}</li>
            ))}
          </ul>
          <div>
            <button
              type="button"
              onClick={() => {
                apply.reset();
                onAgain();
              }}
            >
              {t("wizard.again")}
            </button>
          </div>
        </div>
      ) : (
        apply.error && (
          <div className="stack">
            <ProblemView error={apply.error} />
          </div>
        )
      )}
      {refusal !== undefined && <p className="notice">{t("wizard.viewer", { file: `${plan.id}.json` })}</p>}
      <div className="row">
        <Act type="submit" needs="operator" className="primary" disabled={apply.isPending || plan.in === 0 || spoilt}>
          {plan.in === 0 ? t("wizard.applyNone") : t("wizard.apply", { n: plan.in })}
        </Act>
        <button type="button" onClick={save}>
          {t("wizard.save")}
        </button>
        <button type="button" onClick={onAgain}>
          {t("wizard.again")}
        </button>
        <label className="row note">
          {t("operations.note")}
          <input type="text" maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        <span className="soft small">
          {plan.id} · {t("wizard.plannedAt", { at: stamp(plan.at) })}
        </span>
      </div>
    </form>
  );
}
