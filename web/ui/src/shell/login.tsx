import { type FormEvent, useState } from "react";
import { type Demand, enter } from "../api/token";
import type { Key } from "../i18n/en";
import { useT } from "../i18n/language";
import { Command } from "../parts/command";
import { Dialog } from "../parts/dialog";

const words: Record<Exclude<Demand, null>, Key> = { needed: "login.needed", expired: "login.expired", invalid: "login.invalid" };

/** Login asks for a token, over whatever is on the screen. */
export function Login({ demand }: { demand: Exclude<Demand, null> }) {
  const t = useT();
  const [value, setValue] = useState("");
  const typed = value.trim();
  const wrong = typed !== "" && !typed.startsWith("alm_");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed !== "" && !wrong) enter(typed);
  };
  return (
    <Dialog title={t("login.title")} onClose={() => undefined} stays>
      <p>{t(words[demand])}</p>
      <form className="stack" onSubmit={submit}>
        <label className="field">
          {t("login.token")}
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => setValue(event.target.value)}
            aria-describedby="login-form"
            aria-invalid={wrong}
          />
        </label>
        <p id="login-form" className="soft small">
          {wrong ? t("login.form") : t("login.kept")}
        </p>
        <button type="submit" className="primary" disabled={typed === "" || wrong}>
          {t("login.enter")}
        </button>
      </form>
      <p className="soft">{t("login.how")}</p>
      <Command text="almanac token create --name NAME --role operator" />
    </Dialog>
  );
}
