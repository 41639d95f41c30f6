import { useState } from "react";
import { post, type Schemas } from "../api/client";
import { known, useT } from "../i18n/language";
import { Act } from "../parts/act";
import { useAddress } from "../parts/address";
import { Command } from "../parts/command";
import { FormDialog, NoteField, noted, useSend } from "../parts/form";

const confirming = "confirm-clock";

/** Unready says that the server does not do its work, and why: nothing else on the page is worth reading before it. */
export function Unready({ status }: { status: Schemas["Status"] }) {
  const t = useT();
  const [search, setSearch] = useAddress();
  if (status.ready) return null;
  const wrong = (status.aspects ?? []).filter((one) => !one.ok && one.aspect !== "definitions");
  const clock = wrong.some((one) => one.aspect === "clock");
  const choose = (what?: string) => setSearch(what === undefined ? {} : { do: what }, { replace: true });
  return (
    <section className="card stack unready" role="alert">
      <h2>{t("unready.title")}</h2>
      {wrong.length === 0 && <p>{status.notReady}</p>}
      <dl className="facts">
        {wrong.map((one) => {
          const name = `aspect.${one.aspect}`;
          return (
            <div key={one.aspect} className="fact">
              <dt>{known(name) ? t(name) : one.aspect}</dt>
              <dd>{one.detail}</dd>
            </div>
          );
        })}
      </dl>
      {clock && (
        <div className="row">
          <Act needs="operator" className="primary" onClick={() => choose(confirming)}>
            {t("unready.clock")}…
          </Act>
          <Command text="almanac clock confirm" />
        </div>
      )}
      {clock && search.get("do") === confirming && <ConfirmClock onClose={() => choose()} />}
    </section>
  );
}

/** ConfirmClock has a person vouch for the machine's clock. */
function ConfirmClock({ onClose }: { onClose: () => void }) {
  const t = useT();
  const [note, setNote] = useState("");
  const sending = useSend({
    said: note,
    send: (key) => post("/api/v1/clock/confirm", { body: noted(note), key }),
    told: () => ({ text: t("unready.clockDone") }),
    onClose,
  });
  return (
    <FormDialog title={t("unready.clockTitle")} words={t("unready.clock")} needs="operator" {...{ sending, onClose }}>
      <p>{t("unready.clockWords")}</p>
      <NoteField note={note} onChange={setNote} />
    </FormDialog>
  );
}
