import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../api/client";
import { useT } from "../i18n/language";
import "./backfills.css";
import { type Field, type Form, fieldOf, formOf, mistakesOf, requestOf, type Step, stepNames, stepOf } from "./form";
import { HowStep } from "./how";
import { JobsStep } from "./jobs";
import { readPlan } from "./planfile";
import { type Plan, planQuery, type Request } from "./queries";
import { Review } from "./review";
import { DaysStep } from "./when";
import { useWizard } from "./wizard";

const largest = 256 * 1024 * 1024;

/** NewBackfillPage is the wizard: which jobs, which days and what of them, how, and the plan to be looked at before it is applied. */
export default function NewBackfillPage() {
  const t = useT();
  const { form, setForm, step, go, filter, setFilter, drawn, draw } = useWizard();
  const [opened, setOpened] = useState<Plan | null>(null);
  const [unread, setUnread] = useState(false);
  const [earlier, setEarlier] = useState<Plan | null>(null);
  const [turn, setTurn] = useState(0);
  const [tried, setTried] = useState<readonly Step[]>(step === "review" ? ["jobs", "days", "how"] : []);
  const [refusal, setRefusal] = useState<{ request: Request; errors: Refused[] } | null>(null);
  const body = useRef<HTMLDivElement>(null);

  const mistakes = useMemo(() => mistakesOf(form), [form]);
  const sound = Object.keys(mistakes).length === 0;
  const request = useMemo(() => (opened === null ? requestOf(form) : opened.request), [form, opened]);
  const plan = useQuery({ ...planQuery(request, turn), enabled: step === "review" && (sound || opened !== null) });
  const { error } = plan;
  useEffect(() => {
    if (error instanceof ApiError) setRefusal({ request, errors: error.problem.errors ?? [] });
  }, [error, request]);

  const wrong = (field: Field): string[] => {
    const list: string[] = [];
    const mistake = mistakes[field];
    const missing = mistake === "wizard.wrong.jobs" || mistake === "wizard.wrong.days";
    if (mistake !== undefined && (!missing || tried.includes(stepOf[field]))) list.push(t(mistake));
    if (refusal !== null && JSON.stringify(refusal.request[field]) === JSON.stringify(request[field])) {
      for (const one of refusal.errors) if (fieldOf(one.location) === field) list.push(one.message);
    }
    return list;
  };
  const change = (next: Form) => {
    setForm(next);
    setOpened(null);
    setEarlier(null);
  };
  const walk = (to: Step) => {
    setTried(to === "review" ? ["jobs", "days", "how"] : [...tried, step]);
    go(to);
  };
  const next = () => {
    setTried([...tried, step]);
    const stays = stepNames.some((one) => one === step) && Object.keys(mistakes).some((field) => stepOf[field as Field] === step);
    if (!stays) walk(stepNames[stepNames.indexOf(step) + 1] ?? "review");
    else requestAnimationFrame(() => body.current?.querySelector<HTMLElement>("[aria-invalid=true], [data-search]")?.focus());
  };
  const open = async (file: File | undefined) => {
    if (!file) return;
    const saved = file.size > largest ? null : readPlan(await file.text());
    setUnread(saved === null);
    if (saved === null) return;
    const its = formOf(saved.request);
    setForm(its);
    setOpened(saved);
    setEarlier(null);
    setTurn(turn + 1);
    go("review", its);
  };
  const asks = { form, onChange: change, wrong };
  return (
    <>
      <header className="row">
        <h1 className="grow">{t("wizard.title")}</h1>
        <OpenPlan onOpen={open} />
      </header>
      {unread && (
        <p className="problem" role="alert">
          {t("wizard.unread")}
        </p>
      )}
      <nav className="wizard-steps" aria-label={t("wizard.stepsLabel")}>
        <ol>
          {stepNames.map((name, n) => {
            const bad =
              name !== "review" && (Object.keys(stepOf) as Field[]).some((field) => stepOf[field] === name && wrong(field).length > 0);
            return (
              <li key={name}>
                <button
                  type="button"
                  aria-current={name === step ? "step" : undefined}
                  className={bad ? "bad" : ""}
                  onClick={() => walk(name)}
                >
                  <span className="n" aria-hidden="true">
                    {bad ? "!" : n + 1}
                  </span>
                  {t(`wizard.step.${name}`)}
                  {bad && <span className="hidden">: {t("wizard.stepBad")}</span>}
                </button>
              </li>
            );
          })}
        </ol>
      </nav>
      <div ref={body} className="stack">
        {step === "jobs" && <JobsStep {...asks} drawn={drawn} onDraw={draw} />}
        {step === "days" && <DaysStep {...asks} />}
        {step === "how" && <HowStep {...asks} />}
        {step === "review" &&
          (sound || opened !== null ? (
            <Review
              plan={plan}
              opened={opened}
              earlier={earlier}
              filter={filter}
              onFilter={setFilter}
              onAgain={(than) => {
                setEarlier(than);
                setOpened(null);
                setTurn(turn + 1);
              }}
              onChange={(part) => change({ ...form, ...part })}
              onStep={walk}
            />
          ) : (
            <Missing mistakes={mistakes} onStep={walk} />
          ))}
      </div>
      {step !== "review" && (
        <div className="row">
          {step !== "jobs" && (
            <button type="button" onClick={() => walk(stepNames[stepNames.indexOf(step) - 1] ?? "jobs")}>
              {t("wizard.back")}
            </button>
          )}
          <button type="button" className="primary" onClick={next}>
            {t("wizard.next", { step: t(`wizard.step.${stepNames[stepNames.indexOf(step) + 1] ?? "review"}`) })}
          </button>
          <span className="grow" />
          {step !== "how" && sound && (
            <button type="button" onClick={() => walk("review")}>
              {t("wizard.toReview")}
            </button>
          )}
        </div>
      )}
    </>
  );
}

type Refused = NonNullable<ApiError["problem"]["errors"]>[number];

/** Missing lists what a plan still needs, and leads to where it is asked. */
function Missing({ mistakes, onStep }: { mistakes: ReturnType<typeof mistakesOf>; onStep: (step: Step) => void }) {
  const t = useT();
  return (
    <section className="problem stack" role="alert">
      <strong>{t("wizard.missing")}</strong>
      <ul className="stack">
        {(Object.keys(mistakes) as Field[]).map((field) => {
          const mistake = mistakes[field];
          return mistake === undefined ? null : (
            <li key={field} className="row">
              <span>{t(mistake)}</span>
              <button type="button" onClick={() => onStep(stepOf[field])}>
                {t(`wizard.step.${stepOf[field]}`)}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function OpenPlan({ onOpen }: { onOpen: (file: File | undefined) => void }) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {t("wizard.open")}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,application/json"
        onChange={(event) => {
          onOpen(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
    </>
  );
}
