import { type FormEvent, type Ref, useState } from "react";
import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import type { Move } from "./compare";
import type { Foresight } from "./foresight";
import { iso, period } from "./period";
import type { Words } from "./words";

/** Of a longer critical path, so many steps at its end are listed. */
const listed = 12;

/** ChosenView is one instance: how it goes, what may be changed of it, and its critical path. */
export function ChosenView(props: {
  foresight: Foresight;
  words: Words;
  i: number;
  path: readonly number[];
  move: Move | undefined;
  usual: Foresight | undefined;
  attention: Schemas["SimulatedInstance"] | undefined;
  delay: number;
  fails: boolean;
  fixed: boolean; // of a backfill: a delay or a failure would mean others
  field: Ref<HTMLInputElement>;
  onDelay: (by: number) => void;
  onFail: () => void;
  onChoose: (i: number) => void;
}) {
  const t = useT();
  const { foresight, words, i, move, usual, attention } = props;
  const job = foresight.job(i);
  const facts: [string, string | undefined][] = [
    [t("simulate.runs"), words.runs(i)],
    [t("simulate.waited"), foresight.held(i) > 0 ? words.waited(i) : undefined],
    [t("simulate.deadline"), words.deadline(i) || undefined],
    [t("simulate.why"), attention?.why],
    [t("simulate.root"), attention?.root],
  ];
  return (
    <section className="card stack chosen" aria-label={t("simulate.chosen")}>
      <div className="row">
        <h2 className="grow">
          <Link href={`/jobs/${encodeURIComponent(job.workflow)}/${encodeURIComponent(job.job)}`}>
            {job.workflow}/{job.job}
          </Link>{" "}
          <span className="number">{words.at(foresight.planTime(i), i)}</span>
        </h2>
        <button type="button" className="plain" aria-label={t("simulate.unchoose")} onClick={() => props.onChoose(-1)}>
          ✕
        </button>
      </div>
      <div className="row">
        <StateMark state={foresight.state(i)} />
        {foresight.late.has(i) && <span className="lost">{t("simulate.missed")}</span>}
        {move && <strong>{words.move(move)}</strong>}
      </div>
      {!props.fixed && (
        <div className="row">
          <Delay key={`${foresight.name(i)} ${props.delay}`} delay={props.delay} field={props.field} onDelay={props.onDelay} />
          <button type="button" aria-pressed={props.fails} onClick={props.onFail}>
            {t("simulate.fails")} <kbd className="key">F</kbd>
          </button>
        </div>
      )}
      <dl className="facts">
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <div className="fact" key={name}>
                <dt>{name}</dt>
                <dd className="number">{value}</dd>
              </div>
            ),
        )}
        {move && usual && (
          <div className="fact">
            <dt>{t("simulate.against")}</dt>
            <dd className="soft number">{words.of(usual).runs(move.was)}</dd>
          </div>
        )}
      </dl>
      <Path {...props} />
    </section>
  );
}

function Delay({ delay, field, onDelay }: { delay: number; field: Ref<HTMLInputElement>; onDelay: (by: number) => void }) {
  const t = useT();
  const [text, setText] = useState(delay === 0 ? "" : iso(delay));
  const [wrong, setWrong] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const by = text.trim() === "" ? 0 : period(text);
    setWrong(by === undefined);
    if (by !== undefined) onDelay(by);
  };
  return (
    <form className="row grow" onSubmit={submit}>
      <label className="row grow">
        <span>
          {t("simulate.delay")} <kbd className="key">D</kbd>
        </span>
        <input
          ref={field}
          className="grow short"
          type="text"
          value={text}
          placeholder="20"
          aria-invalid={wrong}
          aria-describedby={wrong ? "delay-wrong" : undefined}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <button type="submit">{t("simulate.set")}</button>
      {wrong && (
        <p className="failed small" id="delay-wrong" role="alert">
          {t("simulate.wrongPeriod")}
        </p>
      )}
    </form>
  );
}

function Path({
  foresight,
  words,
  path,
  onChoose,
}: {
  foresight: Foresight;
  words: Words;
  path: readonly number[];
  onChoose: (i: number) => void;
}) {
  const t = useT();
  const cut = Math.max(0, path.length - listed);
  return (
    <div>
      <h3>{t("simulate.path")}</h3>
      {path.length < 2 ? (
        <p className="soft small">{t("simulate.pathOwn")}</p>
      ) : (
        <>
          <p className="soft small">{t("simulate.pathHint")}</p>
          <ol className="blamed">
            {cut > 0 && <li className="soft small">{t("simulate.pathMore", { n: cut })}</li>}
            {path.slice(cut).map((at) => (
              <li key={at}>
                <button type="button" className="plain wide-line" onClick={() => onChoose(at)}>
                  <span className="grow">{words.title(at)}</span>
                  <span className="soft number">{words.runs(at)}</span>
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
      {foresight.columns.pathsCut && <p className="soft small">{t("simulate.pathCut")}</p>}
    </div>
  );
}
