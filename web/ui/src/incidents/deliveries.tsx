import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { Glyph } from "../design/state";
import { known, useT } from "../i18n/language";
import { stamp } from "../parts/time";

/** Deliveries are messages to sinks, and what became of each. */
export function Deliveries({ items, incidents }: { items: Schemas["Delivery"][]; incidents?: boolean }) {
  const t = useT();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t("sinks.name")}</th>
          <th scope="col">{t("column.kind")}</th>
          <th scope="col">{t("column.state")}</th>
          <th scope="col" className="end">
            {t("sinks.attempts")}
          </th>
          <th scope="col">{t("sinks.error")}</th>
          <th scope="col">{t("column.at")}</th>
          {incidents && <th scope="col">{t("sinks.incident")}</th>}
        </tr>
      </thead>
      <tbody>
        {items.map((one) => (
          <tr key={one.id}>
            <td>{one.sink}</td>
            <td>{known(`class.${one.class}`) ? t(`class.${one.class}`) : one.class}</td>
            <td>
              <DeliveryState state={one.state} />
            </td>
            <td className="number end">{one.attempts}</td>
            <td className="soft">{one.error}</td>
            <td className="number tight">{stamp(one.endedAt ?? one.createdAt)}</td>
            {incidents && <td>{one.incident !== undefined && <Link href={`/incidents/${one.incident}`}>{one.incident}</Link>}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const looks: Record<string, string> = { pending: "waiting", delivered: "succeeded", failed: "failed" };

function DeliveryState({ state }: { state: string }) {
  const t = useT();
  const key = `delivery.${state}`;
  const look = looks[state] ?? "waiting";
  return (
    <span className={`state ${look}`}>
      <Glyph state={look} />
      {known(key) ? t(key) : state}
    </span>
  );
}
