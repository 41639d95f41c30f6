import { Ordered } from "../ahead/ordered";
import { useOrders } from "../ahead/orders";
import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { between } from "../parts/time";

export function InstanceHead() {
  const t = useT();
  return (
    <>
      <span>{t("column.state")}</span>
      <span>{t("column.job")}</span>
      <span>{t("column.planTime")}</span>
      <span>{t("column.reason")}</span>
      <span>{t("column.took")}</span>
    </>
  );
}

/** InstanceLine is an instance in one line. */
export function InstanceLine({ instance, clock }: { instance: Schemas["Instance"]; clock: (at: string) => string }) {
  const t = useT();
  const order = useOrders()(instance.workflow, instance.job, instance.planTime);
  return (
    <>
      <StateMark state={instance.state} />
      <span className="about" title={`${instance.workflow}/${instance.job}`}>
        {instance.workflow}/{instance.job}
        {instance.kind !== "scheduled" && <span className="soft small"> {t(`kind.${instance.kind}`)}</span>}
        {instance.kind === "scheduled" && order !== undefined && (
          <>
            {" "}
            <Ordered order={order} />
          </>
        )}
      </span>
      <span className="number">{clock(instance.planTime)}</span>
      <span className="soft why" title={instance.reason.text}>
        {instance.reason.text}
      </span>
      <span className="soft number">{between(instance.startedAt, instance.endedAt, t)}</span>
    </>
  );
}
