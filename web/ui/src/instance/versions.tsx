import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { clock } from "../parts/time";
import { diff, hunks } from "./diff";
import { currentVersionQuery, versionPairQuery } from "./queries";
import { yamlOf } from "./yaml";
import "./steps.css";

type Version = Schemas["JobVersion"];

/** Versions is the definition that an instance was planned with, and how it differs from the current one and from the one before it. */
export default function Versions({ instance }: { instance: Schemas["Instance"] }) {
  const pair = useQuery(versionPairQuery(instance.workflow, instance.job, instance.version));
  const current = useQuery(currentVersionQuery(instance.workflow, instance.job));
  return (
    <Loaded query={pair}>
      {({ items }) => (
        <Loaded query={current}>
          {(newest) => <Shown own={items[0]} before={items[1]} current={newest.items[0]} id={instance.version} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Shown(props: { own: Version | undefined; before: Version | undefined; current: Version | undefined; id: string }) {
  const t = useT();
  const [search, setSearch] = useAddress();
  const { own, before, current } = props;
  if (own === undefined || own.id !== props.id) return <p className="soft">{t("version.gone", { id: props.id })}</p>;
  const newest = current?.id === own.id;
  const views = [...(newest || current === undefined ? [] : ["current"]), ...(before === undefined ? [] : ["before"]), "whole"];
  const view = views.find((one) => one === search.get("against")) ?? views[0];
  return (
    <section className="card stack">
      <div className="row">
        <h2>{t("version.title", { id: own.id })}</h2>
        <span className="soft number">{t("version.since", { at: clock(own.createdAt) })}</span>
        <span className={newest ? "succeeded" : "soft"}>
          {newest ? t("version.newest") : current && t("version.newer", { id: current.id })}
        </span>
        <span className="grow" />
        {views.length > 1 && (
          // biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form
          <div className="row" role="group" aria-label={t("version.against")}>
            {views.map((one) => (
              <button
                type="button"
                key={one}
                aria-pressed={one === view}
                onClick={() => setSearch({ tab: "version", against: one }, { replace: true })}
              >
                {one === "current" ? t("version.againstCurrent") : one === "before" ? t("version.againstBefore") : t("version.whole")}
              </button>
            ))}
          </div>
        )}
      </div>
      {before === undefined && <p className="soft">{t("version.first")}</p>}
      {view === "current" && current !== undefined && <Compared from={own} to={current} />}
      {view === "before" && before !== undefined && <Compared from={before} to={own} />}
      {view === "whole" && <pre>{yamlOf(own.definition).join("\n")}</pre>}
    </section>
  );
}

/** Compared shows what was taken away and what was added, with signs and colours. */
export function Compared({ from, to }: { from: Version; to: Version }) {
  const t = useT();
  const result = useMemo(() => {
    const lines = diff(yamlOf(from.definition), yamlOf(to.definition));
    const count = (sign: string) => lines.filter((line) => line.sign === sign).length;
    return { ...hunks(lines), added: count("+"), removed: count("-") };
  }, [from, to]);
  if (result.hunks.length === 0) {
    return (
      <p className="soft">
        {from.folder === to.folder ? t("version.same") : t("version.sameElsewhere", { from: from.folder, to: to.folder })}
      </p>
    );
  }
  return (
    <>
      <p className="soft">
        {t("version.changes", {
          from: `${from.id} (${clock(from.createdAt)})`,
          to: `${to.id} (${clock(to.createdAt)})`,
          added: result.added,
          removed: result.removed,
        })}
      </p>
      <div className="diff">
        {result.hunks.map((hunk, h) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: nothing moves in a comparison
          <div key={h}>
            {hunk.skipped > 0 && <div className="gap">{t("version.skipped", { n: hunk.skipped })}</div>}
            {hunk.lines.map((line, n) => {
              const Mark = line.sign === "+" ? "ins" : line.sign === "-" ? "del" : "span";
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: nothing moves in a comparison
                <Mark key={n} className={line.sign === " " ? "same" : undefined}>
                  <span className="sign">{line.sign === "-" ? "−" : line.sign}</span>
                  {line.text}
                  {"\n"}
                </Mark>
              );
            })}
          </div>
        ))}
        {result.rest > 0 && <div className="gap">{t("version.skipped", { n: result.rest })}</div>}
      </div>
    </>
  );
}
