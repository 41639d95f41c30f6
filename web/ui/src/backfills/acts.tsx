import { useState } from "react";
import { ApiError, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { FormDialog, NoteField, noted, useSend } from "../parts/form";
import { Tick } from "./field";
import { type Field, fieldOf, laneMistakes, shareOf, splitWindow, windowOf } from "./form";
import { LaneFields, type LaneForm } from "./lane";
import { act, type Backfill, change, type Act as What } from "./queries";

export type Opened = What | "change";

/** What every dialog of a backfill has: who may, and what is asked for again. */
const needs = "operator";
const changes = ["list"];

/** ActDialog says what it would do to a backfill, and does it. */
export function ActDialog({ backfill, what, onClose }: { backfill: Backfill; what: What; onClose: () => void }) {
  const t = useT();
  const [note, setNote] = useState("");
  const [running, setRunning] = useState(false);
  const sending = useSend({
    said: [note, running],
    send: (key) => act(backfill.id, what, note, running, key),
    told: () => ({ text: t(`backfill.did.${what}`) }),
    changes,
    onClose,
  });
  const { waiting, running: runs, lost } = backfill.instances;
  const words = t(`backfill.do.${what}`);
  return (
    <FormDialog title={`${words}: ${backfill.id}`} refused={<Forbidden error={sending.error} />} {...{ words, needs, sending, onClose }}>
      <p>{t(`backfill.will.${what}`, { waiting, running: runs + lost })}</p>
      {what === "cancel" && <Tick label={t("backfill.cancelRunning", { n: runs + lost })} checked={running} onChange={setRunning} />}
      <NoteField note={note} onChange={setNote} />
    </FormDialog>
  );
}

/** ChangeDialog changes how a backfill goes on; what was not touched stays. */
export function ChangeDialog({ backfill, onClose }: { backfill: Backfill; onClose: () => void }) {
  const t = useT();
  const [was] = useState(() => laneOf(backfill));
  const [form, setForm] = useState(was);
  const [note, setNote] = useState("");
  const body = changed(was, form);
  const mistakes = laneMistakes(form);
  const sending = useSend({
    said: [body, note],
    send: (key) => change(backfill.id, { ...body, ...noted(note) }, key),
    told: () => ({ text: t("backfill.did.change") }),
    changes,
    onClose,
  });
  const told = sending.error instanceof ApiError ? (sending.error.problem.errors ?? []) : [];
  const wrong = (field: Field): string[] => {
    const mistake = mistakes[field];
    return [
      ...(mistake === undefined ? [] : [t(mistake)]),
      ...told.filter((one) => fieldOf(one.location) === field).map((one) => one.message),
    ];
  };
  return (
    <FormDialog
      title={`${t("backfill.do.change")}: ${backfill.id}`}
      words={t("apply")}
      unready={Object.keys(mistakes).length > 0 || Object.keys(body).length === 0}
      refused={<Forbidden error={sending.error} />}
      {...{ needs, sending, onClose }}
    >
      <p>{t("backfill.will.change")}</p>
      <LaneFields
        form={form}
        onChange={(next) => {
          setForm(next);
          sending.reset();
        }}
        wrong={wrong}
      />
      <NoteField note={note} onChange={setNote} />
    </FormDialog>
  );
}

function laneOf(b: Backfill): LaneForm {
  const [shareMin = "", shareMax = ""] = (b.share ?? "").split("..");
  const window = splitWindow(b.window ?? "");
  return {
    parallel: b.parallel === undefined ? "" : String(b.parallel),
    priority: b.priority === undefined ? "" : String(b.priority),
    shareMin,
    shareMax,
    windowFrom: window.from,
    windowTo: window.to,
    windowZone: window.zone,
  };
}

/** changed is what of the form is not as it was. A priority cannot be taken back: it was set for each instance. */
function changed(was: LaneForm, is: LaneForm): Schemas["BackfillChange"] {
  const body: Schemas["BackfillChange"] = {};
  if (is.parallel.trim() !== was.parallel) body.parallel = is.parallel.trim() === "" ? 0 : Number(is.parallel);
  if (is.priority.trim() !== was.priority && is.priority.trim() !== "") body.priority = Number(is.priority);
  const [shareWas, share] = [shareOf(was.shareMin, was.shareMax), shareOf(is.shareMin, is.shareMax)];
  if (share !== shareWas) body.share = share;
  const [windowWas, window] = [windowOf(was.windowFrom, was.windowTo, was.windowZone), windowOf(is.windowFrom, is.windowTo, is.windowZone)];
  if (window !== windowWas) body.window = window;
  return body;
}

/** Forbidden says who may, of what was refused to somebody who may not. */
function Forbidden({ error }: { error: Error | null }) {
  const t = useT();
  return error instanceof ApiError && error.problem.status === 403 ? <p>{t("backfill.operator")}</p> : null;
}
