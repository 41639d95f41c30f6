import { useState } from "react";
import { post, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Command } from "../parts/command";
import { Dialog } from "../parts/dialog";
import { FormDialog, NoteField, noted, useSend } from "../parts/form";

type Role = Schemas["TokenRequest"]["role"];

const roles: Role[] = ["viewer", "operator", "editor", "admin"];
const spans = ["7", "30", "90", "365", ""];

/** NewToken makes a token, and shows its secret once. */
export function NewToken({ onClose }: { onClose: () => void }) {
  const t = useT();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [days, setDays] = useState("90");
  const [note, setNote] = useState("");
  const [opened] = useState(Date.now); // a second click asks for the same end
  const sending = useSend({
    said: [name.trim(), role, days, note],
    send: (key) =>
      post("/api/v1/tokens", {
        body: {
          name: name.trim(),
          role,
          ...noted(note),
          expiresAt: days === "" ? undefined : new Date(opened + Number(days) * 86_400_000).toISOString(),
        },
        key,
      }),
    changes: ["list", "tokens"],
    onClose,
  });
  if (sending.data) return <Made token={sending.data} onClose={onClose} />;
  const wrong = name.trim() === "" || [...name].length > 100;
  return (
    <FormDialog title={t("tokens.newTitle")} words={t("tokens.make")} unready={wrong} {...{ sending, onClose }}>
      <label className="field">
        {t("tokens.for")}
        <input
          type="text"
          required
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
          aria-describedby="token-name"
          aria-invalid={name !== "" && wrong}
        />
      </label>
      <p id="token-name" className="soft small">
        {name !== "" && wrong ? t("tokens.nameWrong") : t("tokens.nameHint")}
      </p>
      <label className="field">
        {t("tokens.role")}
        <select value={role} onChange={(event) => setRole(roles.find((one) => one === event.target.value) ?? "viewer")}>
          {roles.map((one) => (
            <option key={one} value={one}>
              {t(`role.${one}`)} – {t(`role.${one}.words`)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        {t("tokens.valid")}
        <select value={days} onChange={(event) => setDays(event.target.value)}>
          {spans.map((one) => (
            <option key={one} value={one}>
              {one === "" ? t("tokens.forever") : one === "365" ? t("tokens.year") : t("tokens.days", { n: one })}
            </option>
          ))}
        </select>
      </label>
      <NoteField note={note} onChange={setNote} />
    </FormDialog>
  );
}

/** Made shows the secret of a token. It is in this component's memory alone, and gone when it is closed; Escape does not close it by mistake. */
function Made({ token, onClose }: { token: Schemas["APIToken"]; onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={t("tokens.made", { name: token.name })} onClose={onClose} stays>
      {token.secret === undefined || token.secret === "" ? (
        <p className="failed">{t("tokens.lost", { id: token.id })}</p>
      ) : (
        <div className="secret stack">
          <strong>{t("tokens.once")}</strong>
          <Command text={token.secret} />
        </div>
      )}
      <div className="row">
        <button type="button" className="primary" onClick={onClose}>
          {t("tokens.done")}
        </button>
      </div>
    </Dialog>
  );
}
