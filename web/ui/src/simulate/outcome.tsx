import type { KeyboardEvent } from "react";
import type { Key } from "../i18n/en";
import { useT } from "../i18n/language";
import { Asserts } from "./asserts";
import { Assumed } from "./assumed";
import type { Comparison } from "./compare";
import type { Foresight } from "./foresight";
import { Load } from "./load";
import type { Words } from "./words";

export const tabs = ["moves", "deadlines", "asserts", "load", "assumed"] as const;
export type Tab = (typeof tabs)[number];

/** Of a longer list, so many are shown. */
const listed = 100;

export interface OutcomeProps {
  foresight: Foresight;
  usual: Foresight | undefined;
  comparison: Comparison | undefined;
  changed: boolean;
  words: Words;
  asserts: string[];
  tab: Tab;
  onTab: (tab: Tab) => void;
  onChoose: (i: number) => void;
  onAsserts: (list: string[]) => void;
}

/** Outcome is what the day comes to, from several sides. */
export function Outcome(props: OutcomeProps) {
  const t = useT();
  const { tab, foresight, comparison } = props;
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? "moves";
    props.onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  const broken = (foresight.answer.assertions ?? []).filter((one) => !one.holds).length;
  const notes: Partial<Record<Tab, string>> = {
    moves: comparison ? String(comparison.moves.length) : "",
    deadlines: foresight.late.size > 0 ? String(foresight.late.size) : "",
    asserts: broken > 0 ? `✕ ${broken}` : (foresight.answer.assertions ?? []).length > 0 ? "✓" : "",
  };
  return (
    <section className="outcome" aria-label={t("simulate.tabs")}>
      <div className="tabs" role="tablist" aria-label={t("simulate.tabs")} onKeyDown={move}>
        {tabs.map((one) => (
          <button
            type="button"
            role="tab"
            key={one}
            id={`tab-${one}`}
            aria-selected={one === tab}
            aria-controls="panel"
            tabIndex={one === tab ? 0 : -1}
            onClick={() => props.onTab(one)}
          >
            {t(`simulate.${one}` satisfies Key)}
            {notes[one] && <span className={one === "moves" || notes[one] === "✓" ? "small" : "small failed"}>{notes[one]}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="stack">
        {tab === "moves" && <Moves {...props} />}
        {tab === "deadlines" && <Deadlines {...props} />}
        {tab === "asserts" && <Asserts asserts={props.asserts} foresight={foresight} onAsserts={props.onAsserts} />}
        {tab === "load" && <Load foresight={foresight} usual={props.usual} words={props.words} onChoose={props.onChoose} />}
        {tab === "assumed" && <Assumed foresight={foresight} words={props.words} />}
      </div>
    </section>
  );
}

/** Instance is one line of a list, which chooses it. */
function Instance(props: { i: number; words: Words; note: string; bad?: boolean; onChoose: (i: number) => void }) {
  return (
    <li>
      <button type="button" className="plain wide-line" onClick={() => props.onChoose(props.i)}>
        <span className="grow">{props.words.title(props.i)}</span>
        <span className={props.bad ? "failed number" : "number"}>{props.note}</span>
      </button>
    </li>
  );
}

function Moves({ comparison, changed, words, onChoose }: OutcomeProps) {
  const t = useT();
  if (!comparison) return <p className="soft">{t(changed ? "simulate.movesWait" : "simulate.movesNone")}</p>;
  if (comparison.moves.length === 0) return <p className="soft">{t("simulate.movesNothing")}</p>;
  const some = (title: Key, list: number[], bad: boolean) =>
    list.length > 0 && (
      <div>
        <h3>
          {t(title)} <span className="soft">{list.length}</span>
        </h3>
        <ul className="outcome-lines">
          {list.slice(0, listed).map((i) => (
            <Instance key={i} i={i} words={words} note={words.deadline(i)} bad={bad} onChoose={onChoose} />
          ))}
        </ul>
      </div>
    );
  return (
    <>
      {some("simulate.newlyLate", comparison.newlyLate, true)}
      {some("simulate.inTime", comparison.inTime, false)}
      <div>
        <h3>{t("simulate.movesCount", { n: comparison.moves.length })}</h3>
        <ul className="outcome-lines">
          {comparison.worst.map((move) => (
            <Instance key={move.at} i={move.at} words={words} note={words.move(move)} bad={move.worse} onChoose={onChoose} />
          ))}
        </ul>
        {comparison.moves.length > comparison.worst.length && (
          <p className="soft small">{t("simulate.movesMore", { n: comparison.moves.length - comparison.worst.length })}</p>
        )}
      </div>
    </>
  );
}

function Deadlines({ foresight, words, onChoose }: OutcomeProps) {
  const t = useT();
  const missed = foresight.missed();
  const risk = foresight.jeopardised();
  const lines = (list: { at: number; note: string }[], bad: boolean) => (
    <>
      <ul className="outcome-lines">
        {list.slice(0, listed).map(({ at, note }) => (
          <Instance key={at} i={at} words={words} note={note} bad={bad} onChoose={onChoose} />
        ))}
      </ul>
      {list.length > listed && <p className="soft small">{t("simulate.whyMore", { n: list.length - listed })}</p>}
    </>
  );
  return (
    <>
      <div>
        <h3>{t("simulate.missed")}</h3>
        {missed.length === 0 ? (
          <p className="soft">{t("simulate.missedNone")}</p>
        ) : (
          lines(
            missed.map(({ at, by }) => ({
              at,
              note: Number.isFinite(by) ? t("simulate.missedBy", { span: words.span(by) }) : t("simulate.neverEnds"),
            })),
            true,
          )
        )}
      </div>
      <div>
        <h3>{t("simulate.risk")}</h3>
        <p className="soft small">{t("simulate.riskHint")}</p>
        {risk.length === 0 ? (
          <p className="soft">{t("simulate.riskNone")}</p>
        ) : (
          lines(
            risk.map(({ at, left }) => ({ at, note: t("simulate.left", { span: words.span(left) }) })),
            false,
          )
        )}
      </div>
    </>
  );
}
