import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { Glyph } from "../design/state";
import { useT } from "../i18n/language";
import { type Column, columnsOf } from "./columns";
import { order } from "./mark";

/** Strip shows a backfill day by day: each column by the states of its instances, and below it what of that a person looks for first. A column leads to its instances. */
export function Strip({ id, days }: { id: string; days: Schemas["BackfillDay"][] }) {
  const t = useT();
  const columns = columnsOf(days, 120);
  const wide = columns.length <= 62;
  return (
    <>
      <ol className={wide ? "day-strip wide" : "day-strip"} aria-label={t("backfill.days")}>
        {columns.map((column) => (
          <li key={column.from}>
            <Link
              href={`/instances?q=${encodeURIComponent(`backfill:${id} date:${dates(column)}`)}`}
              aria-label={words(column, t)}
              title={words(column, t)}
            >
              <Stack column={column} />
              {wide && (
                <span className={`state ${column.worst}`}>
                  <Glyph state={column.worst} />
                </span>
              )}
            </Link>
          </li>
        ))}
      </ol>
      <div className="row soft small number strip-ends" style={{ maxWidth: columns.length * 29 }}>
        <span>{columns[0]?.from}</span>
        <span className="grow" />
        {columns.length < days.length && <span>{t("backfill.daysEach", { n: Math.ceil(days.length / columns.length) })}</span>}
        <span className="grow" />
        <span>{columns.at(-1)?.to}</span>
      </div>
    </>
  );
}

const dates = (column: Column) => (column.from === column.to ? column.from : `${column.from}..${column.to}`);

function words(column: Column, t: ReturnType<typeof useT>): string {
  const counts = order.filter((state) => column.counts[state] > 0).map((state) => `${column.counts[state]} ${t(`state.${state}`)}`);
  return `${dates(column)}: ${counts.join(", ")}`;
}

function Stack({ column }: { column: Column }) {
  let from = 100;
  return (
    <svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
      {order.map((state) => {
        const height = column.total === 0 ? 0 : (column.counts[state] / column.total) * 100;
        from -= height;
        return height === 0 ? null : <rect key={state} className={state} x={0} y={from} width={10} height={height} fill="currentColor" />;
      })}
    </svg>
  );
}
