import type { Schemas } from "../api/client";
import type { Key } from "../i18n/en";
import { known, useT } from "../i18n/language";
import { clock } from "../parts/time";
import type { Foresight } from "./foresight";
import type { Words } from "./words";

/** Of a longer list, so many are shown. */
const listed = 50;

/** Assumed is all that the simulation takes for granted: nobody should trust the rest without having seen it. */
export function Assumed({ foresight, words }: { foresight: Foresight; words: Words }) {
  const t = useT();
  const { answer } = foresight;
  const outside = answer.assumed ?? [];
  const durations = answer.durations ?? [];
  const guesses = durations.filter((one) => one.source === "default");
  const others = durations.filter((one) => one.source !== "default");
  return (
    <>
      <p>{t("simulate.always")}</p>
      {(answer.conditions ?? 0) > 0 && <p>{t("simulate.conditions", { n: answer.conditions ?? 0 })}</p>}
      {guesses.length > 0 && (
        <div>
          <h3>{t("simulate.guessed", { span: words.span(guesses[0]?.durationMs ?? 0) })}</h3>
          <p className="soft small">
            {guesses
              .slice(0, listed)
              .map((one) => `${one.workflow}/${one.job}`)
              .join(", ")}
            {guesses.length > listed && ` ${t("simulate.whyMore", { n: guesses.length - listed })}`}
          </p>
        </div>
      )}
      <div>
        <h3>{t("simulate.outside")}</h3>
        {outside.length === 0 ? (
          <p className="soft">{t("simulate.outsideNone")}</p>
        ) : (
          <ul className="outcome-lines">
            {outside.slice(0, listed).map((one) => (
              <li key={`${one.workflow}/${one.job}`} className="row">
                <span className="grow">
                  {one.workflow}/{one.job}
                </span>
                <span className="soft number small">
                  {one.planTimes === 1
                    ? clock(one.first)
                    : t("simulate.times", { first: clock(one.first), last: clock(one.last), n: one.planTimes })}
                </span>
              </li>
            ))}
            {outside.length > listed && <li className="soft small">{t("simulate.whyMore", { n: outside.length - listed })}</li>}
          </ul>
        )}
      </div>
      {others.length > 0 && (
        <div>
          <h3>{t("simulate.known")}</h3>
          <ul className="outcome-lines">
            {others.slice(0, listed).map((one) => (
              <li key={`${one.workflow}/${one.job}`} className="row">
                <span className="grow">
                  {one.workflow}/{one.job}
                </span>
                <span className="soft number small">
                  {words.span(one.durationMs)} · {sourceOf(one, t)}
                </span>
              </li>
            ))}
            {others.length > listed && <li className="soft small">{t("simulate.whyMore", { n: others.length - listed })}</li>}
          </ul>
        </div>
      )}
    </>
  );
}

function sourceOf(one: Schemas["SimulatedDuration"], t: ReturnType<typeof useT>): string {
  const key = `simulate.source.${one.source}`;
  return known(key) ? t(key satisfies Key, { n: one.of ?? 0 }) : one.source;
}
