import { useQuery } from "@tanstack/react-query";
import { concernsQuery } from "../admin/queries";
import { useT } from "../i18n/language";
import { Command } from "../parts/command";
import { stamp } from "../parts/time";

const shown = 10;

/** Folder says that what stands in the server's folder is not what runs: which file is bad, where, and what runs in its place. */
export function Folder() {
  const t = useT();
  const { data } = useQuery(concernsQuery);
  const trouble = data?.definitions;
  if (trouble === undefined) return null;
  const mistakes = trouble.mistakes ?? [];
  const kept = trouble.kept ?? [];
  return (
    <section className="card stack folder">
      <h2>{t("folder.title")}</h2>
      <p>
        {kept.length > 0 ? t("folder.kept", { names: kept.join(", ") }) : t("folder.all")}{" "}
        <span className="soft">{t("folder.since", { at: stamp(trouble.since) })}</span>
      </p>
      {mistakes.length === 0 && <p className="failed">{trouble.text}</p>}
      <ul className="stack">
        {mistakes.slice(0, shown).map((one) => (
          <li key={`${one.file}:${one.line}:${one.column} ${one.message}`}>
            <code>
              {one.file}
              {one.line > 0 && `:${one.line}:${one.column}`}
            </code>
            <div>{one.message}</div>
            {one.hint !== undefined && <div className="soft">{one.hint}</div>}
          </li>
        ))}
      </ul>
      {trouble.errors > shown && <p className="soft">{t("folder.more", { n: trouble.errors - shown })}</p>}
      <div className="row">
        <span className="soft small">{t("folder.how")}</span>
        <Command text="almanac reload" />
      </div>
    </section>
  );
}
