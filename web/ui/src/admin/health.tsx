import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { Glyph } from "../design/state";
import { known, useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { span, stamp } from "../parts/time";
import { healthQuery } from "./queries";
import { whole } from "./whole";

/** Health is each thing without which the server does not do its work, how its loop goes, and what it still has to deliver. */
export function Health() {
  const query = useQuery(healthQuery);
  return (
    <Loaded query={query}>
      {(data) => (
        <div className="grid">
          <Aspects aspects={data.aspects ?? []} />
          <div className="stack">
            <Loop health={data} />
            <Outbox health={data} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

function Aspects({ aspects }: { aspects: Schemas["Condition"][] }) {
  const t = useT();
  return (
    <section className="card">
      <h2>{t("health.aspects")}</h2>
      <table>
        <tbody>
          {aspects.map((one) => {
            const name = `aspect.${one.aspect}`;
            const words = `aspect.${one.aspect}.words`;
            return (
              <tr key={one.aspect}>
                <th scope="row">{known(name) ? t(name) : one.aspect}</th>
                <td className="tight">
                  <span className={`state ${one.ok ? "succeeded" : "failed"}`}>
                    <Glyph state={one.ok ? "succeeded" : "failed"} />
                    {t(one.ok ? "health.ok" : "health.wrong")}
                  </span>
                </td>
                <td className={one.ok ? "soft" : ""}>{one.detail ?? (known(words) ? t(words) : "")}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Loop({ health }: { health: Schemas["Health"] }) {
  const t = useT();
  const { loop } = health;
  return (
    <section className="card">
      <h2>{t("health.loop")}</h2>
      <dl className="facts">
        {loop !== undefined && (
          <>
            <dt>{t("health.turned")}</dt>
            <dd className="number">{stamp(whole(loop.turnedAt))}</dd>
            <dt>{t("health.took")}</dt>
            <dd className="number">{span(loop.tookSeconds, t)}</dd>
            <dt>{t("health.ready")}</dt>
            <dd>
              {loop.ready === undefined ? (
                <span className="soft">{t("health.readyNone")}</span>
              ) : (
                <>
                  {loop.ready} <span className="soft">{t("health.readySince", { at: stamp(whole(loop.readySince)) })}</span>
                </>
              )}
            </dd>
            <dt>{t("health.planned")}</dt>
            <dd className="number">{stamp(loop.plannedTo)}</dd>
          </>
        )}
        <dt>{t("health.version")}</dt>
        <dd>{health.version}</dd>
      </dl>
    </section>
  );
}

function Outbox({ health }: { health: Schemas["Health"] }) {
  const t = useT();
  const { outbox } = health;
  return (
    <section className="card">
      <h2>{t("health.outbox")}</h2>
      <dl className="facts">
        <dt>{t("health.actions")}</dt>
        <dd className="number">
          {outbox.errorActionsSince === undefined
            ? outbox.errorActions
            : t("health.actionsSince", { n: outbox.errorActions, at: stamp(whole(outbox.errorActionsSince)) })}
        </dd>
        <dt>{t("health.alerts")}</dt>
        <dd className="number">{outbox.alerts}</dd>
        <dt>{t("health.failedAlerts")}</dt>
        <dd className={outbox.failedAlerts > 0 ? "number failed" : "number"}>{outbox.failedAlerts}</dd>
      </dl>
    </section>
  );
}
