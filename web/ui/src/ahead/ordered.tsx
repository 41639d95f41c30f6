import { useT } from "../i18n/language";
import { clock } from "../parts/time";
import type { Order } from "./orders";

/** Ordered says at one due time, in a list, what a person has ordered of it ahead. */
export function Ordered({ order }: { order: Order | undefined }) {
  const t = useT();
  if (order === undefined) return null;
  return (
    <span className="ordered small" title={t("ahead.by", { who: order.by, at: clock(order.at) })}>
      {order.text}
    </span>
  );
}
