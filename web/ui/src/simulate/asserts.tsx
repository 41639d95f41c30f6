import { type FormEvent, useState } from "react";
import { useT } from "../i18n/language";
import type { Foresight } from "./foresight";

/** Asserts are sentences about the day, and whether they hold of it. */
export function Asserts({
  asserts,
  foresight,
  onAsserts,
}: {
  asserts: string[];
  foresight: Foresight;
  onAsserts: (list: string[]) => void;
}) {
  const t = useT();
  const [text, setText] = useState("");
  const judged = new Map((foresight.answer.assertions ?? []).map((one) => [one.text, one]));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const said = text.trim();
    if (said === "") return;
    if (!asserts.includes(said)) onAsserts([...asserts, said]);
    setText("");
  };
  return (
    <>
      <form className="stack tight" onSubmit={submit}>
        <label className="field">
          {t("simulate.assert")}
          <span className="row">
            <input
              type="text"
              className="grow"
              value={text}
              spellCheck={false}
              placeholder="shop/report done by 08:00"
              aria-describedby="assert-hint"
              onChange={(event) => setText(event.target.value)}
            />
            <button type="submit">{t("simulate.add")}</button>
          </span>
        </label>
        <p className="soft small" id="assert-hint">
          {t("simulate.assertHint")}
        </p>
      </form>
      {asserts.length === 0 && <p className="soft">{t("simulate.assertNone")}</p>}
      <ul className="outcome-lines">
        {asserts.map((said) => {
          const one = judged.get(said);
          return (
            <li key={said} className="assertion">
              <div className="row">
                {one && (
                  <span className={one.holds ? "state succeeded" : "state failed"}>
                    <span aria-hidden="true">{one.holds ? "✓" : "✕"}</span> {t(one.holds ? "simulate.holds" : "simulate.holdsNot")}
                  </span>
                )}
                <span className="grow">{said}</span>
                <button
                  type="button"
                  className="plain"
                  aria-label={t("simulate.remove", { what: said })}
                  onClick={() => onAsserts(asserts.filter((other) => other !== said))}
                >
                  ✕
                </button>
              </div>
              {one && one.checked > 0 && <p className="soft small">{t("simulate.checked", { n: one.checked })}</p>}
              {one?.why?.map((why) => (
                <p key={why} className="small">
                  {why}
                </p>
              ))}
              {(one?.more ?? 0) > 0 && <p className="soft small">{t("simulate.whyMore", { n: one?.more ?? 0 })}</p>}
            </li>
          );
        })}
      </ul>
    </>
  );
}
