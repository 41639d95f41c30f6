import type { Problem } from "../api/client";
import { useT } from "../i18n/language";
import { wrongParts } from "./wrongparts";

/** Marked shows a selector that does not parse, with the terms marked that the server could not read. */
export function Marked({ selector, problem }: { selector: string; problem: Problem }) {
  const t = useT();
  const parts = wrongParts(
    selector,
    (problem.errors ?? []).map((one) => one.message),
  );
  if (!parts.some((part) => part.wrong)) return null;
  return (
    <p className="row">
      <span className="soft">{t("instances.wrongAt")}</span>
      <code className="selector">{parts.map((part) => (part.wrong ? <mark key={part.at}>{part.text}</mark> : part.text))}</code>
    </p>
  );
}
