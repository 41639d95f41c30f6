import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { explainQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { CauseCard } from "../instance/cause";
import { Loaded } from "../parts/problem";
import { clock } from "../parts/time";
import { frontOf } from "./columns";
import { type Backfill, heldQuery } from "./queries";

/** Blocked asks of the instance whose turn is next why it does not start, and shows the root causes. */
export function Blocked({ backfill, days }: { backfill: Backfill; days: Schemas["BackfillDay"][] }) {
  const t = useT();
  const day = frontOf(days, backfill.order === "desc");
  const list = useQuery({ ...heldQuery(`backfill:${backfill.id} state:waiting date:${day}`, 100), enabled: day !== "" });
  const next = list.data?.items?.at(-1); // the newest plan time is first
  const query = useQuery({ ...explainQuery(next?.id ?? ""), enabled: next !== undefined });
  if (day === "") return null;
  return (
    <section className="card stack">
      <h2>{t("backfill.blocked")}</h2>
      {next !== undefined && (
        <Loaded query={query}>
          {(explanation) => (
            <>
              <p>
                {t("backfill.next")}{" "}
                <Link href={`/instances/${explanation.instance.id}`}>
                  {explanation.instance.workflow}/{explanation.instance.job}{" "}
                  <span className="number">{clock(explanation.instance.planTime)}</span>
                </Link>
              </p>
              <p>{explanation.gates.find((gate) => gate.gate === explanation.holding)?.text ?? explanation.instance.reason.text}</p>
              {explanation.roots
                .filter((cause) => cause.name !== explanation.instance.name)
                .slice(0, 5)
                .map((cause) => (
                  <CauseCard key={cause.name} cause={cause} />
                ))}
            </>
          )}
        </Loaded>
      )}
    </section>
  );
}
