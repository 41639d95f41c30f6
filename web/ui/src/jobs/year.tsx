import { type KeyboardEvent, useRef, useState } from "react";
import { Link } from "wouter";
import { known, useLanguage, useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { span } from "../parts/time";
import { faceOf, type JobDay, levelOf, levels, moved, selectorOf, thresholds } from "./days";
import { dayWords } from "./daywords";
import { weekdayWords } from "./words";

/** The mark of each state within a cell of 14: that a day went well needs none. */
const marks: Record<string, string> = {
  failed: "M4.2 4.2l5.6 5.6M9.8 4.2L4.2 9.8",
  lost: "M5 5.4C5.2 3.4 9 3.6 8.8 5.6 8.7 6.8 7 6.6 7 8M7 10.4v.2",
  cancelled: "M4 10L10 4",
  running: "M5 3.8L10 7L5 10.2z",
  waiting: "M7 4v3.2L9 8.6",
  forced: "M4.4 4.4h5.2v5.2H4.4z",
  skipped: "M5.4 4L8.6 7L5.4 10",
};

/** Year is a cell for every day, by weeks: how the day went, or how long it took. Arrows move, Enter opens the instances of the day. */
export function Year(props: {
  workflow: string;
  job: string;
  weeks: string[][];
  today: string;
  days: Map<string, JobDay>;
  partial: boolean;
}) {
  const t = useT();
  const { language } = useLanguage();
  const [search, setSearch] = useAddress();
  const { weeks, today, days } = props;
  const first = weeks[0]?.[0] ?? today;
  const last = weeks.at(-1)?.[6] ?? today;
  const [at, setAt] = useState(today);
  const [over, setOver] = useState<string | null>(null);
  const place = useRef<HTMLTableElement>(null);
  const byDuration = search.get("days") === "duration";
  const cuts = byDuration ? thresholds([...days.values()]) : [];
  const names = weekdayWords(t);
  const month = new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en", { month: "short", timeZone: "UTC" });
  const told = over ?? at;

  const show = (which: "duration" | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (which === null) next.delete("days");
        else next.set("days", which);
        return next;
      },
      { replace: true },
    );
  const move = (event: KeyboardEvent) => {
    const to = moved(at, event.key, first, last);
    if (to === null) return;
    event.preventDefault();
    setAt(to);
    place.current?.querySelector<HTMLElement>(`[data-date="${to}"]`)?.focus();
  };

  return (
    <section className="card year">
      <div className="row">
        <h2>{t("days.year")}</h2>
        {props.partial && <span className="soft small">{t("days.counting")}</span>}
        <span className="grow" />
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form */}
        <div className="row" role="group" aria-label={t("days.shows")}>
          <button type="button" aria-pressed={!byDuration} onClick={() => show(null)}>
            {t("days.outcome")}
          </button>
          <button type="button" aria-pressed={byDuration} onClick={() => show("duration")}>
            {t("days.duration")}
          </button>
        </div>
      </div>
      <div className="scroll">
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its cells are moved about in with the arrow keys */}
        <table role="grid" aria-label={t("days.grid")} ref={place} onKeyDown={move} onMouseLeave={() => setOver(null)}>
          <thead>
            <tr>
              <td />
              {monthsOf(weeks).map(({ month: name, weeks: n }) => (
                <th key={name} scope="colgroup" colSpan={n}>
                  {n > 2 && month.format(new Date(`${name}-01T00:00:00Z`))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name, row) => (
              <tr key={name}>
                <th scope="row">{row % 2 === 0 ? name : <span className="hidden">{name}</span>}</th>
                {weeks.map((week) => {
                  const date = week[row] ?? "";
                  return (
                    <td key={date} onMouseEnter={() => setOver(date)}>
                      <Cell
                        date={date}
                        one={days.get(date)}
                        today={date === today}
                        marked={date === at}
                        level={byDuration ? levelOf(days.get(date)?.medianSeconds, cuts) : null}
                        href={`/instances?q=${encodeURIComponent(selectorOf(props.workflow, props.job, date))}`}
                        onMark={() => setAt(date)}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="row small">
        <span className="number told">{dayWords(told, days.get(told), t)}</span>
        <span className="grow" />
        {byDuration ? <Levels cuts={cuts} /> : <Faces days={days} />}
      </div>
    </section>
  );
}

function Cell(props: {
  date: string;
  one: JobDay | undefined;
  today: boolean;
  marked: boolean;
  level: number | null;
  href: string;
  onMark: () => void;
}) {
  const t = useT();
  const { date, one, level } = props;
  const face = faceOf(one);
  const kind = level === null || face === "none" || face === "planned" ? face : level > 0 ? `level-${level}` : `bare ${face}`;
  const common = {
    className: `cell ${kind}${props.today ? " today" : ""}`,
    tabIndex: props.marked ? 0 : -1,
    "aria-label": dayWords(date, one, t),
    "data-date": date,
    onFocus: props.onMark,
  };
  const mark = level === null || level === 0 ? marks[face] : undefined;
  const inner = mark !== undefined && (
    <svg viewBox="0 0 14 14" aria-hidden="true">
      <path d={mark} />
    </svg>
  );
  if ((one?.total ?? 0) === 0) {
    return (
      <button type="button" {...common} aria-disabled="true">
        {inner}
      </button>
    );
  }
  return (
    <Link href={props.href} {...common}>
      {inner}
    </Link>
  );
}

/** monthsOf says over how many weeks each month stands: a week belongs to the month of its Monday. */
function monthsOf(weeks: string[][]): { month: string; weeks: number }[] {
  const months: { month: string; weeks: number }[] = [];
  for (const week of weeks) {
    const month = (week[0] ?? "").slice(0, 7);
    const last = months.at(-1);
    if (last?.month === month) last.weeks++;
    else months.push({ month, weeks: 1 });
  }
  return months;
}

/** Faces are the marks that there are, with their words and how many days have them. */
function Faces({ days }: { days: Map<string, JobDay> }) {
  const t = useT();
  const counts = new Map<string, number>();
  for (const one of days.values()) counts.set(faceOf(one), (counts.get(faceOf(one)) ?? 0) + 1);
  const order = ["succeeded", "forced", "skipped", "failed", "lost", "cancelled", "running", "waiting", "planned"];
  return (
    <ul className="row faces" aria-label={t("days.legend")}>
      {order
        .filter((face) => counts.has(face))
        .map((face) => {
          const key = face === "planned" ? "days.face.planned" : `state.${face}`;
          return (
            <li key={face}>
              <span className={`cell ${face}`}>
                {marks[face] !== undefined && (
                  <svg viewBox="0 0 14 14" aria-hidden="true">
                    <path d={marks[face]} />
                  </svg>
                )}
              </span>
              {known(key) ? t(key) : face} <span className="soft number">{counts.get(face)}</span>
            </li>
          );
        })}
    </ul>
  );
}

function Levels({ cuts }: { cuts: number[] }) {
  const t = useT();
  return (
    <ul className="row faces" aria-label={t("days.legend")}>
      {Array.from({ length: Math.min(levels, cuts.length + 1) }, (_, n) => (
        <li key={cuts[n - 1] ?? 0}>
          <span className={`cell level-${n + 1}`} />
          {n === 0
            ? cuts[0] === undefined
              ? t("days.level.all")
              : t("days.level.less", { took: span(cuts[0], t) })
            : t("days.level.from", { took: span(cuts[n - 1] ?? 0, t) })}
        </li>
      ))}
    </ul>
  );
}
