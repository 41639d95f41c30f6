import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { clock } from "../parts/time";

/** Watches are the steps that wait for something without a slot, each with what it found last. */
export function Watches({ list }: { list: Schemas["Watching"][] }) {
  const t = useT();
  return (
    <ul className="stack">
      {list.map((one) => (
        <li key={one.step ?? ""}>
          <strong>{one.step ?? t("steps.only")}</strong> <LastLook waits={one} />
          <LookTimes waits={one} />
        </li>
      ))}
    </ul>
  );
}

type Wait = Pick<Schemas["StepWait"], "since" | "until" | "next" | "looks" | "last" | "instance">;

/** LastLook is what a step waits for: what its latest look found, or the instance that it has started. */
export function LastLook({ waits }: { waits: Wait }) {
  const t = useT();
  if (waits.instance !== undefined)
    return <Link href={`/instances/${waits.instance}`}>{t("steps.waitsForInstance", { id: waits.instance })}</Link>;
  return (
    <span>{waits.last === undefined ? t("steps.looks", { n: waits.looks }) : t("steps.look", { n: waits.looks, found: waits.last })}</span>
  );
}

/** LookTimes is since when a step waits, when it looks again, and when it gives up. */
export function LookTimes({ waits }: { waits: Wait }) {
  const t = useT();
  const parts = [t("steps.since", { at: clock(waits.since) })];
  if (waits.next !== undefined) parts.push(t("steps.next", { at: clock(waits.next) }));
  if (waits.until !== undefined) parts.push(t("steps.until", { at: clock(waits.until) }));
  return <div className="soft number">{parts.join(" · ")}</div>;
}
