import { useT } from "../i18n/language";
import { unplaced } from "./marks";
import type { Problem, Source, Validation } from "./queries";

/** Problems lists everything that was found, each with a way to its place. */
export function Problems(props: { source: Source; validation: Validation | undefined; onJump: (problem: Problem) => void }) {
  const t = useT();
  const { source, validation } = props;
  if (validation === undefined)
    return <p className="soft">{t(source.madeBy === undefined ? "definition.checking" : "definition.truth.azure")}</p>;
  const elsewhere = unplaced(source.name, validation.problems);
  const renamed = validation.workflows.filter((one) => one.workflow !== source.workflow);
  return (
    <div className="stack">
      {validation.problems.length === 0 && (
        <p>
          <span className="succeeded">✓</span> {t("definition.fine")}
        </p>
      )}
      {renamed.map((one) => (
        <p key={one.workflow} className="notice">
          {t("definition.renamed", { was: source.workflow, is: one.workflow })}
        </p>
      ))}
      <ul className="found">
        {validation.problems.map((one) => (
          <li key={`${one.file} ${one.line} ${one.column} ${one.message}`} className={one.severity}>
            <span className="sign" aria-hidden="true">
              {one.severity === "error" ? "✕" : "▲"}
            </span>
            <div>
              <span className="hidden">{t(one.severity === "error" ? "definition.error" : "definition.warning")}</span>
              {elsewhere.includes(one) ? (
                <code>{one.file}</code>
              ) : (
                <button type="button" className="plain place number" onClick={() => props.onJump(one)}>
                  {t("definition.place", { line: one.line, column: one.column })}
                </button>
              )}{" "}
              {one.message}
              {one.hint !== undefined && <div className="soft">{one.hint}</div>}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
