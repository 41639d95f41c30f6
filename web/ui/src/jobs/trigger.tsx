import { useState } from "react";
import { post, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { FormDialog, NoteField, noted, useSend } from "../parts/form";
import { type Given, valuesOf } from "./param";
import { ParamField } from "./paramfield";
import "./trigger.css";

/** Trigger makes a manual instance of a job, with the parameters that the job takes. */
export function Trigger({ detail, onClose }: { detail: Schemas["JobDetail"]; onClose: () => void }) {
  const t = useT();
  const [note, setNote] = useState("");
  const [given, setGiven] = useState<Record<string, Given>>({});
  const params = valuesOf(given);
  const sending = useSend({
    said: [params, note],
    send: (key) =>
      post("/api/v1/jobs/{workflow}/{job}/trigger", {
        path: { workflow: detail.workflow, job: detail.job },
        body: { params, ...noted(note) },
        key,
      }),
    told: (made) => ({ text: t("job.triggered", { id: made.id }), href: `/instances/${made.id}` }),
    onClose,
  });
  return (
    <FormDialog title={`${t("job.trigger")}: ${detail.workflow}/${detail.job}`} words={t("job.trigger")} {...{ sending, onClose }}>
      {(detail.params ?? []).map((param) => (
        <ParamField
          key={param.name}
          param={param}
          value={given[param.name]}
          onChange={(value) => setGiven({ ...given, [param.name]: value })}
        />
      ))}
      <NoteField note={note} onChange={setNote} />
    </FormDialog>
  );
}
