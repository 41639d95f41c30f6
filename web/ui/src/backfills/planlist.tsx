import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useT } from "../i18n/language";
import { ProblemView } from "../parts/problem";
import { clock, offset } from "../parts/time";
import type { Filter } from "./planfile";
import { usePlanRows } from "./planrows";
import type { Plan, PlanRow } from "./queries";
import { reasonHint, reasonWord } from "./reason";

const most = 400_000; // rows in the list; of more the list would be longer than a browser can scroll
const height = 30;

/** PlanList lists the instances of a plan, in or out with the reason. Arrows move; what the marked one would wait for stands beside. */
export function PlanList({ plan, filter, onFilter }: { plan: Plan; filter: Filter; onFilter: (filter: Filter) => void }) {
  const t = useT();
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState(0);
  const rows = usePlanRows(plan, filter);
  const shown = Math.min(rows.count, most);
  const virtual = useVirtualizer({ count: shown, getScrollElement: () => place.current, estimateSize: () => height, overscan: 10 });
  const at = Math.min(marked, Math.max(0, shown - 1));
  const items = virtual.getVirtualItems();
  const { see } = rows;
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => see(first, last), [see, first, last]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows begin at their first
  useEffect(() => {
    setMarked(0);
    place.current?.scrollTo(0, 0);
  }, [rows.begin]);
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -shown, End: shown };
    const step = steps[event.key];
    if (step === undefined || shown === 0) return;
    event.preventDefault();
    const next = Math.min(shown - 1, Math.max(0, at + step));
    setMarked(next);
    virtual.scrollToIndex(next);
  };
  const kept = useRef<{ n: number; begin: unknown; row: PlanRow } | null>(null); // it may be of a part that is not looked at any more
  const found = rows.at(at);
  if (found !== undefined) kept.current = { n: at, begin: rows.begin, row: found };
  const row = found ?? (kept.current?.n === at && kept.current.begin === rows.begin ? kept.current.row : undefined);
  return (
    <section className="planlist" aria-label={t("plan.list")}>
      <div className="row">
        <label className="row">
          {t("plan.find")}
          <input
            type="search"
            data-search
            spellCheck={false}
            value={filter.words}
            onChange={(event) => onFilter({ ...filter, words: event.target.value })}
          />
        </label>
        {(filter.show !== "" || filter.why !== "" || filter.job !== "" || filter.words !== "") && (
          <button type="button" className="plain" onClick={() => onFilter({ show: "", why: "", job: "", words: "" })}>
            {t("plan.clear")}
          </button>
        )}
        <span className="grow" />
        <span className="soft" role="status">
          {!rows.counted
            ? t("page.loading")
            : shown < rows.count
              ? t("plan.countMost", { n: shown.toLocaleString("en"), of: rows.count.toLocaleString("en") })
              : t("instances.count", { n: rows.count.toLocaleString("en") })}
        </span>
      </div>
      {rows.error !== null && <ProblemView error={rows.error} />}
      {rows.moved && <p className="notice">{t("plan.moved")}</p>}
      <div className="sides">
        <div
          className="list"
          ref={place}
          role="listbox"
          aria-label={t("plan.list")}
          tabIndex={0}
          aria-activedescendant={row === undefined ? undefined : `${id}-${at}`}
          onKeyDown={move}
        >
          {shown === 0 && (
            <div role="option" aria-selected="false" className="soft none" tabIndex={-1}>
              {t("instances.none")}
            </div>
          )}
          <div className="inner" role="presentation" ref={(inner) => inner?.style.setProperty("height", `${virtual.getTotalSize()}px`)}>
            {items.map((item) => {
              const one = rows.at(item.index);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are the list's, which keeps the focus
                <div
                  key={item.key}
                  id={`${id}-${item.index}`}
                  role="option"
                  aria-selected={item.index === at}
                  aria-setsize={shown}
                  aria-posinset={item.index + 1}
                  className={one === undefined || one.in ? "line" : "line out"}
                  style={{ transform: `translateY(${item.start}px)` }}
                  onClick={() => setMarked(item.index)}
                >
                  {one === undefined ? (
                    <span className="soft">…</span>
                  ) : (
                    <>
                      <InOut in={one.in} />
                      <span className="number">{clock(one.planTime)}</span>
                      <span>{one.job}</span>
                      <Why row={one} />
                    </>
                  )}
                </div>
              );
            })}
          </div>
        </div>
        <aside className="card stack" aria-label={t("plan.marked")} aria-live="polite">
          {row !== undefined && <Marked row={row} />}
        </aside>
      </div>
    </section>
  );
}

/** InOut tells whether an instance would run, by shape, colour and word. */
function InOut({ in: taken }: { in: boolean }) {
  const t = useT();
  return (
    <span className={`state ${taken ? "running" : "waiting"}`}>
      <svg className="glyph still" viewBox="0 0 16 16" aria-hidden="true">
        <path
          d={taken ? "M4 2.4 13.2 8 4 13.6z" : "M3 8h10"}
          fill={taken ? "currentColor" : "none"}
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      {t(taken ? "plan.in" : "plan.out")}
    </span>
  );
}

function Why({ row }: { row: PlanRow }) {
  const t = useT();
  return (
    <span>
      {reasonWord(row.why, t)}
      {row.text !== undefined && <span className="soft"> · {row.text}</span>}
    </span>
  );
}

function Marked({ row }: { row: PlanRow }) {
  const t = useT();
  const waits = row.waits ?? [];
  return (
    <>
      <h3>
        {row.job} <span className="number">{clock(row.planTime)}</span> <span className="soft small">{offset(row.planTime)}</span>
      </h3>
      <div className="row">
        <InOut in={row.in} />
        <span>{reasonHint(row.why, t) ?? row.why}</span>
      </div>
      {row.text !== undefined && <p>{row.text}</p>}
      {row.in && <p className="soft">{waits.length === 0 ? t("plan.waitsNone") : t("plan.waits")}</p>}
      {waits.length > 0 && (
        <ul className="small">
          {waits.slice(0, 60).map((words) => (
            <li key={words}>{words}</li>
          ))}
          {waits.length > 60 && <li className="soft">{t("operations.more", { n: waits.length - 60 })}</li>}
        </ul>
      )}
    </>
  );
}
