import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { newKey, post, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Dialog } from "../parts/dialog";
import { ProblemView } from "../parts/problem";
import { toast } from "../shell/toasts";

/** Revoke ends a token, saying first what that means; of the one in use also that it is that one. */
export function Revoke({ token, onClose }: { token: Schemas["APIToken"]; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [note, setNote] = useState("");
  const [key] = useState(newKey);
  const revoke = useMutation({
    mutationFn: () =>
      post("/api/v1/tokens/{id}/revoke", {
        path: { id: token.id },
        body: { note: note === "" ? undefined : note, own: token.yours === true ? true : undefined },
        key,
      }),
    onSuccess: async () => {
      toast({ text: t("tokens.revoked", { name: token.name }) });
      onClose();
      await client.invalidateQueries();
    },
    onError: () => undefined,
  });
  return (
    <Dialog title={t("tokens.revokeTitle", { id: token.id, name: token.name })} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          revoke.mutate();
        }}
      >
        <p>{t("tokens.revokeWords")}</p>
        {token.yours && <p className="failed">{t("tokens.revokeOwn")}</p>}
        <label className="field">
          {t("tokens.note")}
          <input type="text" maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        {revoke.error && <ProblemView error={revoke.error} />}
        <div className="row">
          <button type="submit" className="danger" disabled={revoke.isPending}>
            {t("tokens.revokeGo")}
          </button>
          <button type="button" onClick={onClose}>
            {t("close")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
