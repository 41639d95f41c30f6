import { useEffect, useState } from "react";
import { useT } from "../i18n/language";
import { type Ask, readBackfill } from "./ask";
import { iso, period } from "./period";
import type { Chosen } from "./played";

const mostBeside = 20_000; // the server takes no more

/** Controls say which day is played, and by what: how long things take, and what else runs. */
export function Controls(props: {
  ask: Ask;
  date: string; // that was played
  beside: Chosen | undefined;
  onChange: (ask: Ask) => void;
  onBeside: (beside: Chosen | undefined) => void;
}) {
  const t = useT();
  const { ask, onChange } = props;
  return (
    <>
      <Day label={t("simulate.date")} value={ask.date === "" ? props.date : ask.date} onValue={(date) => onChange({ ...ask, date })} />
      <Typed label={t("simulate.days")} value={ask.days} placeholder="1" most={31} onValue={(days) => onChange({ ...ask, days })} />
      <Typed
        label={t("simulate.slots")}
        value={ask.slots}
        placeholder={t("simulate.slotsServer")}
        wide
        onValue={(slots) => onChange({ ...ask, slots })}
      />
      <details className="drop">
        <summary>{t("simulate.more")}</summary>
        <div className="stack raised">
          <Guess value={ask.guess} onValue={(guess) => onChange({ ...ask, guess })} />
          <label className="row">
            <input type="checkbox" checked={ask.history} onChange={(event) => onChange({ ...ask, history: event.target.checked })} />
            {t("simulate.history")}
          </label>
          <Upload onBeside={props.onBeside} />
        </div>
      </details>
    </>
  );
}

/** Day is a date. While its year is being typed it is of the first century: that is not played. */
function Day({ label, value, onValue }: { label: string; value: string; onValue: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <label className="row">
      {label}
      <input
        type="date"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          if (event.target.value === "" || event.target.value >= "1970") onValue(event.target.value);
        }}
      />
    </label>
  );
}

/** Typed is a field whose value counts when it is left, or with Enter, so that no day is played for half a number. */
function Typed(props: {
  label: string;
  value: string;
  placeholder: string;
  most?: number;
  wide?: boolean;
  onValue: (value: string) => void;
}) {
  const { value } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const take = () => {
    if (text.trim() !== value) props.onValue(text.trim());
  };
  return (
    <label className="row">
      {props.label}
      <input
        className={props.wide ? "wide" : undefined}
        type="number"
        min={1}
        max={props.most}
        value={text}
        placeholder={props.placeholder}
        onChange={(event) => setText(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") take();
        }}
      />
    </label>
  );
}

function Guess({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const t = useT();
  const [text, setText] = useState(value);
  const [wrong, setWrong] = useState(false);
  useEffect(() => setText(value), [value]);
  const take = () => {
    const took = text.trim() === "" ? 0 : period(text);
    setWrong(took === undefined);
    if (took !== undefined) onValue(took === 0 ? "" : iso(took));
  };
  return (
    <label className="field">
      {t("simulate.guess")}
      <input
        type="text"
        value={text}
        placeholder="PT1M"
        aria-invalid={wrong}
        onChange={(event) => setText(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") take();
        }}
      />
      {wrong && (
        <span className="failed small" role="alert">
          {t("simulate.wrongPeriod")}
        </span>
      )}
    </label>
  );
}

let files = 0;

function Upload({ onBeside }: { onBeside: (beside: Chosen) => void }) {
  const t = useT();
  const [wrong, setWrong] = useState("");
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const refs = readBackfill(await file.text());
    if (refs === undefined) setWrong(t("simulate.backfillWrong"));
    else if (refs.length > mostBeside) setWrong(t("simulate.backfillMost", { n: refs.length }));
    else {
      setWrong("");
      files++;
      onBeside({ id: files, file: file.name, refs });
    }
  };
  return (
    <label className="field">
      {t("simulate.backfill")}
      <input
        type="file"
        accept=".json,application/json"
        onChange={(event) => {
          void take(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      {wrong !== "" && (
        <span className="failed small" role="alert">
          {wrong}
        </span>
      )}
      <span className="soft small">{t("simulate.backfillKept")}</span>
    </label>
  );
}
