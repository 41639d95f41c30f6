import type { ReactNode } from "react";
import type { Schemas } from "../api/client";
import type { Key } from "../i18n/en";
import { useT } from "../i18n/language";
import { between, clock } from "../parts/time";

/** Details are the rest of what is known of an instance. */
export function Details({ instance }: { instance: Schemas["Instance"] }) {
  const t = useT();
  const facts: [Key, ReactNode][] = [
    ["column.id", instance.id],
    ["column.kind", t(`kind.${instance.kind}`)],
    ["instance.key", instance.key],
    ["column.planTime", clock(instance.planTime)],
    ["runs.number", (instance.run ?? 1) > 1 ? instance.run : undefined],
    ["instance.started", clock(instance.startedAt)],
    ["instance.ended", clock(instance.endedAt)],
    ["column.took", between(instance.startedAt, instance.endedAt, t)],
    ["instance.priority", instance.priority],
    ["instance.pool", instance.pool],
    ["instance.version", instance.version],
    ["instance.owner", instance.owner],
  ];
  const params = Object.entries(instance.params ?? {});
  return (
    <section className="card">
      <dl className="facts">
        {facts
          .filter(([, value]) => value !== undefined && value !== "")
          .map(([key, value]) => (
            <div key={key} className="fact">
              <dt>{t(key)}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        {params.length > 0 && (
          <div className="fact">
            <dt>{t("instance.params")}</dt>
            <dd>
              {params.map(([name, value]) => (
                <div key={name} className="mono">
                  {name}={value}
                </div>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
