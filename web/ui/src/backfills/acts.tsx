import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Act } from "../parts/act";
import { Dialog } from "../parts/dialog";
import { ProblemView } from "../parts/problem";
import { toast } from "../shell/toasts";
import { Tick } from "./field";
import { type Field, fieldOf, laneMistakes, shareOf, splitWindow, windowOf } from "./form";
import { LaneFields, type LaneForm } from "./lane";
import { act, type Backfill, change, type Act as What } from "./queries";

export type Opened = What | "change";

/** ActDialog says what it would do to a backfill, and does it. */
export function ActDialog({ backfill, what, onClose }: { backfill: Backfill; what: What; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [note, setNote] = useState("");
  const [running, setRunning] = useState(false);
  const done = useMutation({
    mutationFn: () => act(backfill.id, what, note, running),
    onSuccess: async () => {
      toast({ text: t(`backfill.did.${what}`) });
      onClose();
      await client.invalidateQueries({ queryKey: ["list"] });
    },
  });
  const { waiting, running: runs, lost } = backfill.instances;
  return (
    <Dialog title={`${t(`backfill.do.${what}`)}: ${backfill.id}`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          done.mutate();
        }}
      >
        <p>{t(`backfill.will.${what}`, { waiting, running: runs + lost })}</p>
        {what === "cancel" && <Tick label={t("backfill.cancelRunning", { n: runs + lost })} checked={running} onChange={setRunning} />}
        <Note note={note} onChange={setNote} />
        <Refused error={done.error} />
        <Buttons words={t(`backfill.do.${what}`)} busy={done.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** ChangeDialog changes how a backfill goes on; what was not touched stays. */
export function ChangeDialog({ backfill, onClose }: { backfill: Backfill; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [was] = useState(() => laneOf(backfill));
  const [form, setForm] = useState(was);
  const [note, setNote] = useState("");
  const body = changed(was, form);
  const mistakes = laneMistakes(form);
  const done = useMutation({
    mutationFn: () => change(backfill.id, note === "" ? body : { ...body, note }),
    onSuccess: async () => {
      toast({ text: t("backfill.did.change") });
      onClose();
      await client.invalidateQueries({ queryKey: ["list"] });
    },
  });
  const told = done.error instanceof ApiError ? (done.error.problem.errors ?? []) : [];
  const wrong = (field: Field): string[] => {
    const mistake = mistakes[field];
    return [
      ...(mistake === undefined ? [] : [t(mistake)]),
      ...told.filter((one) => fieldOf(one.location) === field).map((one) => one.message),
    ];
  };
  return (
    <Dialog title={`${t("backfill.do.change")}: ${backfill.id}`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          done.mutate();
        }}
      >
        <p>{t("backfill.will.change")}</p>
        <LaneFields
          form={form}
          onChange={(next) => {
            setForm(next);
            done.reset();
          }}
          wrong={wrong}
        />
        <Note note={note} onChange={setNote} />
        <Refused error={done.error} />
        <Buttons
          words={t("apply")}
          busy={done.isPending || Object.keys(mistakes).length > 0 || Object.keys(body).length === 0}
          onClose={onClose}
        />
      </form>
    </Dialog>
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

function Note({ note, onChange }: { note: string; onChange: (note: string) => void }) {
  const t = useT();
  return (
    <label className="field">
      {t("operations.note")}
      <input type="text" maxLength={1000} value={note} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

function Refused({ error }: { error: Error | null }) {
  const t = useT();
  if (error === null) return null;
  return (
    <div className="stack">
      <ProblemView error={error} />
      {error instanceof ApiError && error.problem.status === 403 && <p>{t("backfill.operator")}</p>}
    </div>
  );
}

function Buttons({ words, busy, onClose }: { words: string; busy: boolean; onClose: () => void }) {
  const t = useT();
  return (
    <div className="row">
      <Act type="submit" needs="operator" className="primary" disabled={busy}>
        {words}
      </Act>
      <button type="button" onClick={onClose}>
        {t("close")}
      </button>
    </div>
  );
}
