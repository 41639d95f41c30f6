import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { newKey, post, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Act } from "../parts/act";
import { Dialog } from "../parts/dialog";
import { ProblemView } from "../parts/problem";
import { toast } from "../shell/toasts";
import type { Pause } from "./pauses";

type Missed = NonNullable<Schemas["PauseRequest"]["missed"]>;
const outcomes = ["", "run", "latest", "skip"] as const satisfies readonly (Missed | "")[];

/** PauseDialog asks which of a job and its workflow is paused, until when, and what becomes of what is missed meanwhile. */
export function PauseDialog({ workflow, job, onClose }: { workflow: string; job: string; onClose: () => void }) {
  const t = useT();
  const [all, setAll] = useState(false);
  const [until, setUntil] = useState("");
  const [missed, setMissed] = useState<Missed | "">("");
  const [note, setNote] = useState("");
  const name = all ? workflow : `${workflow}/${job}`;
  const done = useDone(t("pause.done", { name }), onClose);
  const key = useKey(all, until, missed, note);
  const pause = useMutation({
    mutationFn: () =>
      post("/api/v1/pauses", {
        body: {
          workflow,
          ...(all ? {} : { job }),
          ...(until === "" ? {} : { until: new Date(until).toISOString() }),
          ...(missed === "" ? {} : { missed }),
          ...(note === "" ? {} : { note }),
        },
        key,
      }),
    onSuccess: done,
    onError: () => undefined,
  });
  const past = until !== "" && Date.parse(until) <= Date.now();
  return (
    <Dialog title={t("pause.title", { name })} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          pause.mutate();
        }}
      >
        <p className="soft">{t("pause.means")}</p>
        <label className="field">
          {t("pause.what")}
          <select value={all ? "workflow" : "job"} onChange={(event) => setAll(event.target.value === "workflow")}>
            <option value="job">{t("pause.job", { name: `${workflow}/${job}` })}</option>
            <option value="workflow">{t("pause.workflow", { name: workflow })}</option>
          </select>
        </label>
        <label className="field">
          {t("pause.until", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}
          <input type="datetime-local" value={until} aria-invalid={past} onChange={(event) => setUntil(event.target.value)} />
          <span className={past ? "small failed" : "small soft"}>{t(past ? "pause.past" : "pause.untilHint")}</span>
        </label>
        <MissedField value={missed} onChange={setMissed} own={t("pause.missed.job")} />
        <label className="field">
          {t("operations.note")}
          <input type="text" maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        {pause.error && <ProblemView error={pause.error} />}
        <div className="row">
          <Act needs="operator" type="submit" className="primary" disabled={pause.isPending || past}>
            {t("pause.pause")}
          </Act>
          <button type="button" onClick={onClose}>
            {t("close")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** ResumeDialog lets what is paused go on. */
export function ResumeDialog({ pause, onClose }: { pause: Pause; onClose: () => void }) {
  const t = useT();
  const [missed, setMissed] = useState<Missed | "">("");
  const [note, setNote] = useState("");
  const name = pausedName(pause);
  const done = useDone(t("pause.resumed", { name }), onClose);
  const key = useKey(missed, note);
  const resume = useMutation({
    mutationFn: () =>
      post("/api/v1/pauses/resume", {
        body: {
          workflow: pause.workflow,
          ...(pause.job === undefined ? {} : { job: pause.job }),
          ...(missed === "" ? {} : { missed }),
          ...(note === "" ? {} : { note }),
        },
        key,
      }),
    onSuccess: done,
    onError: () => undefined,
  });
  return (
    <Dialog title={t("pause.resumeTitle", { name })} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          resume.mutate();
        }}
      >
        {pause.job === undefined && <p className="soft">{t("pause.whole")}</p>}
        <MissedField
          value={missed}
          onChange={setMissed}
          own={pause.missed === undefined ? t("pause.missed.job") : t("pause.missed.said", { what: t(`pause.missed.${pause.missed}`) })}
        />
        <label className="field">
          {t("operations.note")}
          <input type="text" maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        {resume.error && <ProblemView error={resume.error} />}
        <div className="row">
          <Act needs="operator" type="submit" className="primary" disabled={resume.isPending}>
            {t("pause.resume")}
          </Act>
          <button type="button" onClick={onClose}>
            {t("close")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export const pausedName = (pause: Pause) => (pause.job === undefined ? pause.workflow : `${pause.workflow}/${pause.job}`);

function MissedField(props: { value: Missed | ""; onChange: (value: Missed | "") => void; own: string }) {
  const t = useT();
  return (
    <label className="field">
      {t("pause.missed")}
      <select value={props.value} onChange={(event) => props.onChange(outcomes.find((one) => one === event.target.value) ?? "")}>
        {outcomes.map((one) => (
          <option key={one} value={one}>
            {one === "" ? props.own : t(`pause.missed.${one}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** useKey is a key for one request: the same as long as what is said is the same, so that a second click is no second pause. */
function useKey(...said: unknown[]): string {
  const text = JSON.stringify(said);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what says something else is another request
  return useMemo(newKey, [text]);
}

/** useDone is what follows a pause or its end: it is told, and whatever is shown is asked for again. */
function useDone(words: string, onClose: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    toast({ text: words });
    onClose();
    await client.invalidateQueries();
  };
}
