import { useState } from "react";
import { post, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { FormDialog, NoteField, noted, useSend } from "../parts/form";

/** Revoke ends a token, saying first what that means; of the one in use also that it is that one. */
export function Revoke({ token, onClose }: { token: Schemas["APIToken"]; onClose: () => void }) {
  const t = useT();
  const [note, setNote] = useState("");
  const sending = useSend({
    said: note,
    send: (key) =>
      post("/api/v1/tokens/{id}/revoke", {
        path: { id: token.id },
        body: { ...noted(note), ...(token.yours === true ? { own: true } : {}) },
        key,
      }),
    told: () => ({ text: t("tokens.revoked", { name: token.name }) }),
    onClose,
  });
  return (
    <FormDialog
      title={t("tokens.revokeTitle", { id: token.id, name: token.name })}
      words={t("tokens.revokeGo")}
      danger
      {...{ sending, onClose }}
    >
      <p>{t("tokens.revokeWords")}</p>
      {token.yours && <p className="failed">{t("tokens.revokeOwn")}</p>}
      <NoteField note={note} onChange={setNote} />
    </FormDialog>
  );
}
