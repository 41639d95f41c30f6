import { useState } from "react";
import { post, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { FormDialog, NoteField, noted, useSend } from "../parts/form";
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
  const body = {
    workflow,
    ...(all ? {} : { job }),
    ...(until === "" ? {} : { until: new Date(until).toISOString() }),
    ...(missed === "" ? {} : { missed }),
    ...noted(note),
  };
  const sending = useSend({
    said: body,
    send: (key) => post("/api/v1/pauses", { body, key }),
    told: () => ({ text: t("pause.done", { name }) }),
    onClose,
  });
  const past = until !== "" && Date.parse(until) <= Date.now();
  return (
    <FormDialog title={t("pause.title", { name })} words={t("pause.pause")} needs="operator" unready={past} {...{ sending, onClose }}>
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
      <NoteField note={note} onChange={setNote} />
    </FormDialog>
  );
}

/** ResumeDialog lets what is paused go on. */
export function ResumeDialog({ pause, onClose }: { pause: Pause; onClose: () => void }) {
  const t = useT();
  const [missed, setMissed] = useState<Missed | "">("");
  const [note, setNote] = useState("");
  const name = pausedName(pause);
  const body = {
    workflow: pause.workflow,
    ...(pause.job === undefined ? {} : { job: pause.job }),
    ...(missed === "" ? {} : { missed }),
    ...noted(note),
  };
  const sending = useSend({
    said: body,
    send: (key) => post("/api/v1/pauses/resume", { body, key }),
    told: () => ({ text: t("pause.resumed", { name }) }),
    onClose,
  });
  return (
    <FormDialog title={t("pause.resumeTitle", { name })} words={t("pause.resume")} needs="operator" {...{ sending, onClose }}>
      {pause.job === undefined && <p className="soft">{t("pause.whole")}</p>}
      <MissedField
        value={missed}
        onChange={setMissed}
        own={pause.missed === undefined ? t("pause.missed.job") : t("pause.missed.said", { what: t(`pause.missed.${pause.missed}`) })}
      />
      <NoteField note={note} onChange={setNote} />
    </FormDialog>
  );
}

export const pausedName = (pause: Pause) => (pause.job === undefined ? pause.workflow : `${pause.workflow}/${pause.job}`);

/** MissedField asks what becomes of what is missed; without an answer it is as `own` says. */
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
