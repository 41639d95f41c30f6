import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { newKey, post, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Dialog } from "../parts/dialog";
import { ProblemView } from "../parts/problem";
import { toast } from "../shell/toasts";
import { type Given, valuesOf } from "./param";
import { ParamField } from "./paramfield";
import "./trigger.css";

/** Trigger makes a manual instance of a job, with the parameters that the job takes. */
export function Trigger({ detail, onClose }: { detail: Schemas["JobDetail"]; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [key] = useState(newKey);
  const [note, setNote] = useState("");
  const [given, setGiven] = useState<Record<string, Given>>({});
  const trigger = useMutation({
    mutationFn: () =>
      post("/api/v1/jobs/{workflow}/{job}/trigger", {
        path: { workflow: detail.workflow, job: detail.job },
        body: { params: valuesOf(given), note: note === "" ? undefined : note },
        key,
      }),
    onSuccess: async (made) => {
      toast({ text: t("job.triggered", { id: made.id }), href: `/instances/${made.id}` });
      onClose();
      await client.invalidateQueries();
    },
    onError: () => undefined,
  });
  return (
    <Dialog title={`${t("job.trigger")}: ${detail.workflow}/${detail.job}`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          trigger.mutate();
        }}
      >
        {(detail.params ?? []).map((param) => (
          <ParamField
            key={param.name}
            param={param}
            value={given[param.name]}
            onChange={(value) => setGiven({ ...given, [param.name]: value })}
          />
        ))}
        <label className="field">
          {t("operations.note")}
          <input type="text" maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        {trigger.error && <ProblemView error={trigger.error} />}
        <div className="row">
          <button type="submit" className="primary" disabled={trigger.isPending}>
            {t("job.trigger")}
          </button>
          <button type="button" onClick={onClose}>
            {t("close")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
