import { type FormEvent, useId, useState } from "react";
import type { Key } from "../i18n/en";
import { useT } from "../i18n/language";
import { Command } from "../parts/command";
import { span } from "../parts/time";
import { type Ask, added, commandOf, cut, type List, removed } from "./ask";
import { iso, period } from "./period";
import type { Chosen } from "./played";

const kinds = ["delay", "fail", "duration", "pool"] as const;
type Kind = (typeof kinds)[number];

/** Changes lists what is changed of the day, each to be taken away again, takes further ones by name, and shows the command line that plays the same. */
export function Changes(props: {
  ask: Ask;
  beside: Chosen | undefined;
  date: string;
  names: string[]; // of jobs
  pools: string[];
  onChange: (ask: Ask) => void;
  onBeside: (beside: undefined) => void;
}) {
  const t = useT();
  const { ask, beside } = props;
  const chips: { key: string; text: string; remove: () => void }[] = kinds.flatMap((kind) =>
    ask[kind].map((value) => ({
      key: `${kind} ${value}`,
      text: chipOf(kind, value, props.date, t),
      remove: () => props.onChange(removed(ask, kind, value)),
    })),
  );
  if (ask.slots !== "")
    chips.push({ key: "slots", text: t("simulate.chip.slots", { value: ask.slots }), remove: () => props.onChange({ ...ask, slots: "" }) });
  if (beside)
    chips.push({
      key: "backfill",
      text: t("simulate.chip.backfill", { n: beside.refs.length, file: beside.file }),
      remove: () => props.onBeside(undefined),
    });
  const command = commandOf(ask, props.date, beside);
  return (
    <section className="simulate-changes" aria-label={t("simulate.changes")}>
      <div className="row">
        <strong>{t("simulate.changes")}</strong>
        {chips.length === 0 && <span className="soft">{t("simulate.changesNone")}</span>}
        <ul className="row grow">
          {chips.map((chip) => (
            <li key={chip.key} className="change-chip">
              <span>{chip.text}</span>
              <button type="button" className="plain" aria-label={t("simulate.remove", { what: chip.text })} onClick={chip.remove}>
                ✕
              </button>
            </li>
          ))}
        </ul>
        {chips.length > 1 && (
          <button
            type="button"
            className="plain small"
            onClick={() => {
              props.onChange({ ...ask, slots: "", delay: [], fail: [], duration: [], pool: [] });
              props.onBeside(undefined);
            }}
          >
            {t("simulate.clear")}
          </button>
        )}
        <details className="drop">
          <summary>{t("simulate.byName")}</summary>
          <Add {...props} />
        </details>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a line of text and its button are no form */}
      <div className="commandline" role="group" aria-label={t("simulate.command")} title={command}>
        <Command text={command} />
      </div>
    </section>
  );
}

/** chipOf is a change in words; the date of the first day is left out. */
function chipOf(kind: Kind, text: string, date: string, t: ReturnType<typeof useT>): string {
  const [name, value] = cut(text);
  const took = period(value);
  const said = {
    name: name.replace(/@(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):00([+-]\d{2}:\d{2}|Z)$/, (_, day, at) =>
      day === date ? ` ${at}` : ` ${day} ${at}`,
    ),
    value: (kind === "delay" || kind === "duration") && took !== undefined ? span(took / 1000, t) : value,
  };
  return t(kind === "fail" && value !== "" ? "simulate.chip.failFirst" : (`simulate.chip.${kind}` satisfies Key), said);
}

/** So many names are offered to whoever types one: of thousands nobody reads all. */
const offeredMost = 50;

/** Add takes a change by name: of many instances at once by a pattern, or of what no bar stands for. */
function Add({ ask, names, pools, onChange }: { ask: Ask; names: string[]; pools: string[]; onChange: (ask: Ask) => void }) {
  const t = useT();
  const id = useId();
  const [kind, setKind] = useState<Kind>("delay");
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [wrong, setWrong] = useState<Key>();
  const offered = (kind === "pool" ? pools : names).filter((one) => one.includes(name.trim())).slice(0, offeredMost);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const made = changeOf(kind, name.trim(), value.trim());
    setWrong("wrong" in made ? made.wrong : undefined);
    if ("wrong" in made) return;
    onChange(added(ask, made.list, made.text));
    setName("");
    setValue("");
  };
  const labels: Record<Kind, Key> = {
    delay: "simulate.by",
    fail: "simulate.attempts",
    duration: "simulate.takes",
    pool: "simulate.places",
  };
  return (
    <form className="stack raised" onSubmit={submit}>
      <label className="field">
        {t("simulate.kind")}
        <select value={kind} onChange={(event) => setKind(kinds.find((one) => one === event.target.value) ?? "delay")}>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {t(`simulate.kind.${one}` satisfies Key)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        {t(kind === "pool" ? "simulate.pool" : "simulate.job")}
        <input
          type="text"
          list={`${id}-names`}
          value={name}
          spellCheck={false}
          aria-describedby={wrong && `${id}-wrong`}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <datalist id={`${id}-names`}>
        {offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <label className="field">
        {t(labels[kind])}
        <input type="text" value={value} aria-describedby={wrong && `${id}-wrong`} onChange={(event) => setValue(event.target.value)} />
      </label>
      {wrong && (
        <span className="failed small" role="alert" id={`${id}-wrong`}>
          {t(wrong)}
        </span>
      )}
      <button type="submit" className="primary">
        {t("simulate.add")}
      </button>
    </form>
  );
}

/** changeOf is what a person typed, as the API takes it, or what is wrong with it. Whether there is such a job is the server's to say. */
export function changeOf(kind: Kind, name: string, value: string): { list: List; text: string } | { wrong: Key } {
  if (name === "") return { wrong: "simulate.wrongName" };
  if (kind === "delay" || kind === "duration") {
    const took = period(value);
    return took === undefined ? { wrong: "simulate.wrongPeriod" } : { list: kind, text: `${name}=${iso(took)}` };
  }
  if (kind === "fail" && value === "") return { list: kind, text: name };
  return /^[1-9]\d{0,6}$/.test(value) ? { list: kind, text: `${name}=${value}` } : { wrong: "simulate.wrongNumber" };
}
