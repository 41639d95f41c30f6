import { useOrders } from "../ahead/orders";
import type { Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { clock } from "../parts/time";

/** Acts are what people have done to an instance and what was said with it, beside what its reason says already. */
export function Acts({ explanation }: { explanation: Schemas["Explanation"] }) {
  const t = useT();
  const { instance } = explanation;
  const order = useOrders()(instance.workflow, instance.job, instance.planTime);
  const lines: string[] = [];
  if (order !== undefined && instance.kind === "scheduled" && instance.state === "waiting")
    lines.push(
      t(order.note === undefined ? "ahead.order" : "ahead.orderNote", { who: order.by, what: order.text, note: order.note ?? "" }),
    );
  if (instance.runNow !== undefined) lines.push(t("acts.runNow", { who: instance.runNow }));
  if (instance.confirmed !== undefined) lines.push(t("acts.confirmed", { who: instance.confirmed }));
  if (instance.frozen) lines.push(t("acts.frozen"));
  if (instance.touched && instance.state === "waiting") lines.push(t("acts.touched"));
  if (instance.kind === "backfill" && instance.key !== undefined) lines.push(t("acts.backfill", { id: instance.key }));
  const notes = (explanation.events ?? [])
    .filter((event) => event.actor !== undefined && event.reason.text !== instance.reason.text)
    .slice(-3);
  if (lines.length === 0 && notes.length === 0) return null;
  return (
    <ul className="soft">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
      {notes.map((event) => (
        <li key={event.id}>
          <span className="number">{clock(event.at)}</span> {event.kind}: {event.reason.text}
        </li>
      ))}
    </ul>
  );
}
