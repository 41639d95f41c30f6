import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { gateWord, StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { clock, span } from "../parts/time";
import { Blockers } from "./blockers";
import { CauseCard } from "./cause";
import { Watches } from "./watches";

type Explanation = Schemas["Explanation"];

/** Why is the answer of explain: the gates as a list that is ticked off, when it will start, and the way down to the root causes. */
export function Why({ explanation }: { explanation: Explanation }) {
  const t = useT();
  const { instance, roots, gates, active, unknown } = explanation;
  const itself = roots.length === 1 && roots[0]?.name === instance.name;
  return (
    <div className="grid">
      <div className="stack">
        <section className="card">
          <h2>{t("instance.gates")}</h2>
          {gates.length === 0 ? <p className="soft">{t("instance.gatesNone")}</p> : <Gates explanation={explanation} />}
        </section>
        <section className="card">
          <h2>{t("instance.forecast")}</h2>
          <ForecastWords explanation={explanation} />
        </section>
      </div>
      <div className="stack">
        {roots.length > 0 && (
          <section className="card">
            <h2>{t("instance.roots")}</h2>
            {itself && <p className="soft">{t("instance.rootsSelf")}</p>}
            {roots.map((cause) => (
              <CauseCard key={cause.name} cause={cause} />
            ))}
            {explanation.beyond && <p className="soft">{t("instance.rootsMore")}</p>}
          </section>
        )}
        {explanation.dependencies.some((wait) => (wait.causes ?? []).length > 0) && (
          <section className="card tree">
            <h2>{t("instance.tree")}</h2>
            <Blockers explanation={explanation} />
          </section>
        )}
        {(explanation.watching ?? []).length > 0 && (
          <section className="card">
            <h2>{t("steps.waits")}</h2>
            <Watches list={explanation.watching ?? []} />
          </section>
        )}
        {active !== undefined && active.length > 0 && (
          <section className="card">
            <h2>{t("instance.active")}</h2>
            <ul>
              {active.map((one) => (
                <li key={one.id} className="row">
                  <StateMark state={one.state} />
                  <Link href={`/instances/${one.id}`}>{one.name}</Link>
                </li>
              ))}
            </ul>
          </section>
        )}
        {unknown !== undefined && unknown.length > 0 && (
          <section className="card">
            <h2>{t("instance.unknown")}</h2>
            <ul>
              {unknown.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </div>
  );
}

function Gates({ explanation }: { explanation: Explanation }) {
  const t = useT();
  return (
    <ul className="gates">
      {explanation.gates.map((gate) => (
        <li key={gate.gate} className={gate.gate === explanation.holding ? "holding" : undefined}>
          <svg className={gate.open ? "glyph open" : "glyph closed"} viewBox="0 0 16 16" aria-hidden="true">
            <path
              d={gate.open ? "M2.2 8.6 6.2 12.6 13.8 3.8" : "M3.4 3.4l9.2 9.2M12.6 3.4l-9.2 9.2"}
              fill="none"
              stroke="currentColor"
              strokeWidth="2"
              strokeLinecap="round"
            />
          </svg>
          <strong>
            {gateWord(gate.gate, t)}
            <span className="hidden">: {gate.open ? t("gate.open") : t("gate.closed")}</span>
          </strong>
          <span>{gate.text}</span>
        </li>
      ))}
    </ul>
  );
}

function ForecastWords({ explanation }: { explanation: Explanation }) {
  const t = useT();
  const { forecast, instance } = explanation;
  const lines: string[] = [];
  if (forecast.earliest !== undefined) lines.push(t("instance.forecastEarliest", { at: clock(forecast.earliest) }));
  if (instance.startedAt !== undefined) lines.push(t("instance.forecastStarted", { at: clock(instance.startedAt) }));
  else if (forecast.start !== undefined) lines.push(t("instance.forecastStart", { at: clock(forecast.start) }));
  if (instance.endedAt !== undefined) lines.push(t("instance.forecastEnded", { at: clock(instance.endedAt) }));
  else if (forecast.end !== undefined) lines.push(t("instance.forecastEnd", { at: clock(forecast.end) }));
  if (forecast.medianSeconds !== undefined) {
    lines.push(
      t("instance.forecastTakes", {
        median: span(forecast.medianSeconds, t),
        high: span(forecast.highSeconds ?? forecast.medianSeconds, t),
        n: forecast.of ?? 0,
      }),
    );
  }
  if (forecast.unknown !== undefined) lines.push(forecast.unknown);
  if (forecast.atLeast) lines.push(t("instance.forecastAtLeast"));
  return (
    <dl className="facts">
      <dt>{t("instance.schedule")}</dt>
      <dd>{explanation.schedule}</dd>
      <dt>{t("instance.forecast")}</dt>
      <dd>
        {lines.map((line) => (
          <div key={line}>{line}</div>
        ))}
      </dd>
    </dl>
  );
}
