import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { newKey, post } from "../api/client";
import { useT } from "../i18n/language";
import { Act } from "../parts/act";
import { Dialog } from "../parts/dialog";
import { ProblemView } from "../parts/problem";
import { toast } from "../shell/toasts";

/** Acknowledge says that somebody knows of an incident, with what they know. */
export function Acknowledge({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [note, setNote] = useState("");
  const [key] = useState(newKey);
  const ack = useMutation({
    mutationFn: () => post("/api/v1/incidents/{id}/ack", { path: { id }, body: note === "" ? {} : { note }, key }),
    onSuccess: async () => {
      toast({ text: t("incident.acked", { id }) });
      onClose();
      await client.invalidateQueries();
    },
    onError: () => undefined,
  });
  return (
    <Dialog title={t("incident.ackTitle")} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          ack.mutate();
        }}
      >
        <p>{t("incident.ackWords")}</p>
        <label className="field">
          {t("incident.note")}
          <input type="text" maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        {ack.error && <ProblemView error={ack.error} />}
        <div className="row">
          <Act needs="operator" type="submit" className="primary" disabled={ack.isPending}>
            {t("incident.ack")}
          </Act>
          <button type="button" onClick={onClose}>
            {t("close")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
