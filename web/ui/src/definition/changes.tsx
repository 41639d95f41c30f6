import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { useT } from "../i18n/language";
import { clock } from "../parts/time";
import type { PlanDiff } from "./queries";
import { type Kind, kinds, type Row, rowsOf } from "./rows";

const rowHeight = 44;

/** Changes lists what becomes of instances. Only what is in sight is in the document; the kinds can be chosen. */
export function Changes({ diff }: { diff: PlanDiff }) {
  const t = useT();
  const rows = useMemo(() => rowsOf(diff), [diff]);
  const counts = useMemo(() => {
    const all = new Map<Kind, number>();
    for (const row of rows) all.set(row.kind, (all.get(row.kind) ?? 0) + 1);
    return all;
  }, [rows]);
  const [only, setOnly] = useState<Kind | null>(null);
  const shown = useMemo(() => (only === null ? rows : rows.filter((row) => row.kind === only)), [rows, only]);
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  if (rows.length === 0) return <p className="soft">{t("definition.noInstances")}</p>;
  return (
    <>
      <fieldset className="row kinds">
        <legend className="hidden">{t("definition.kinds")}</legend>
        {kinds.map(
          (kind) =>
            counts.has(kind) && (
              <button
                type="button"
                key={kind}
                className="small"
                aria-pressed={only === kind}
                onClick={() => setOnly(only === kind ? null : kind)}
              >
                {t(`definition.kind.${kind}`)} <span className="number">{counts.get(kind)}</span>
              </button>
            ),
        )}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="rows changes" ref={place} tabIndex={0} aria-label={t("definition.instances")}>
        <ul className="inner" ref={(inner) => inner?.style.setProperty("height", `${virtual.getTotalSize()}px`)}>
          {virtual.getVirtualItems().map((item) => {
            const row = shown[item.index];
            if (row === undefined) return null;
            return (
              <li
                key={item.key}
                className={`change is-${row.kind}`}
                aria-setsize={shown.length}
                aria-posinset={item.index + 1}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <Change row={row} />
              </li>
            );
          })}
        </ul>
      </section>
    </>
  );
}

function Change({ row }: { row: Row }) {
  const t = useT();
  const words = says(row, t);
  return (
    <>
      <span className="mark" aria-hidden="true">
        {row.mark}
      </span>
      <span className="number">{clock(row.at)}</span>
      <span className="name" title={`${row.workflow}/${row.job}`}>
        {row.job}
        {row.key && <span className="soft"> {row.key}</span>}
      </span>
      <span className="what small" title={words}>
        {words}
        {row.later && <strong className="later"> {t("definition.later")}</strong>}
      </span>
    </>
  );
}

function says(row: Row, t: ReturnType<typeof useT>): string {
  const nothing = t("definition.nothing");
  switch (row.kind) {
    case "lost":
    case "due":
      return t(`definition.fate.${row.fate ?? "runs"}`);
    case "added":
      return row.after ? t("definition.addedWaits", { what: row.after }) : t("definition.added");
    case "bound":
    case "relinked":
      return t("definition.relinked", { before: row.before || nothing, after: row.after || nothing });
    case "changed":
      return t("definition.another");
    default:
      return t("definition.removed");
  }
}
