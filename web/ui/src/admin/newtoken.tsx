import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { newKey, post, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Command } from "../parts/command";
import { Dialog } from "../parts/dialog";
import { ProblemView } from "../parts/problem";

type Role = Schemas["TokenRequest"]["role"];

const roles: Role[] = ["viewer", "operator", "editor", "admin"];
const spans = ["7", "30", "90", "365", ""];

/** NewToken makes a token, and shows its secret once. */
export function NewToken({ onClose }: { onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [days, setDays] = useState("90");
  const [note, setNote] = useState("");
  const [key] = useState(newKey);
  const make = useMutation({
    mutationFn: () =>
      post("/api/v1/tokens", {
        body: {
          name: name.trim(),
          role,
          note: note === "" ? undefined : note,
          expiresAt: days === "" ? undefined : new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
        },
        key: `${key}-${name.length}-${role}-${days}`,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["list", "tokens"] }),
    onError: () => undefined,
  });
  if (make.data) return <Made token={make.data} onClose={onClose} />;
  const wrong = name.trim() === "" || [...name].length > 100;
  return (
    <Dialog title={t("tokens.newTitle")} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!wrong) make.mutate();
        }}
      >
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
        <label className="field">
          {t("tokens.note")}
          <input type="text" maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        {make.error && <ProblemView error={make.error} />}
        <div className="row">
          <button type="submit" className="primary" disabled={wrong || make.isPending}>
            {t("tokens.make")}
          </button>
          <button type="button" onClick={onClose}>
            {t("close")}
          </button>
        </div>
      </form>
    </Dialog>
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
