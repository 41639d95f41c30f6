import { useState } from "react";
import { post } from "../api/client";
import { useT } from "../i18n/language";
import { FormDialog, NoteField, noted, useSend } from "../parts/form";

/** Acknowledge says that somebody knows of an incident, with what they know. */
export function Acknowledge({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useT();
  const [note, setNote] = useState("");
  const sending = useSend({
    said: note,
    send: (key) => post("/api/v1/incidents/{id}/ack", { path: { id }, body: noted(note), key }),
    told: () => ({ text: t("incident.acked", { id }) }),
    onClose,
  });
  return (
    <FormDialog title={t("incident.ackTitle")} words={t("incident.ack")} needs="operator" {...{ sending, onClose }}>
      <p>{t("incident.ackWords")}</p>
      <NoteField label={t("incident.note")} note={note} onChange={setNote} />
    </FormDialog>
  );
}
