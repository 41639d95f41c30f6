import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { type Order, useOrdersOf } from "../ahead/orders";
import type { Schemas } from "../api/client";
import { Glyph } from "../design/state";
import { useLanguage, useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { useAll } from "../parts/all";
import { Loaded } from "../parts/problem";
import { dayOfMonth, daysAfter, isMonth, type JobDay, monthAfter, monthWeeks, namedTimes, restOf, selectorOf } from "./days";
import { dayWords, hoursOf } from "./daywords";
import { daysQuery } from "./queries";
import { weekdayWords } from "./words";

const timesShown = 3;

/** Month is a calendar of a job: what became of each day, at which times it is due on those to come, and what people ordered of these. */
export function Month({ detail, today, near }: { detail: Schemas["JobDetail"]; today: string; near: JobDay[] }) {
  const t = useT();
  const { language } = useLanguage();
  const [search, setSearch] = useAddress();
  const { workflow, job } = detail;
  const asked = search.get("month") ?? "";
  const month = isMonth(asked) ? asked : today.slice(0, 7);
  const weeks = monthWeeks(month);
  const query = useInfiniteQuery(daysQuery(workflow, job, weeks[0]?.[0] ?? today, daysAfter(weeks.at(-1)?.[6] ?? today, 1)));
  useAll(query);
  const orders = useOrdersOf(workflow, job);
  const go = (to: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (to === today.slice(0, 7)) next.delete("month");
        else next.set("month", to);
        return next;
      },
      { replace: true },
    );
  const title = new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en", { month: "long", year: "numeric", timeZone: "UTC" });
  return (
    <section className="card month">
      <div className="row">
        <h2>{t("days.calendar")}</h2>
        <span className="grow" />
        <button
          type="button"
          onClick={() => go(monthAfter(month, -1))}
          disabled={!isMonth(monthAfter(month, -1))}
          aria-label={t("days.before")}
        >
          ←
        </button>
        <span className="name" aria-live="polite">
          {title.format(new Date(`${month}-01T00:00:00Z`))}
        </span>
        <button
          type="button"
          onClick={() => go(monthAfter(month, 1))}
          disabled={!isMonth(monthAfter(month, 1))}
          aria-label={t("days.after")}
        >
          →
        </button>
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const days = new Map([...pages.flatMap((page) => page.days ?? []), ...near].map((one) => [one.date, one]));
          return (
            <table>
              <thead>
                <tr>
                  {weekdayWords(t).map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {weeks.map((week) => (
                  <tr key={week[0]}>
                    {week.map((date) => (
                      <td key={date} className={date === today ? "today" : date.startsWith(month) ? undefined : "other"}>
                        <Day
                          date={date}
                          one={days.get(date)}
                          times={timesOf(date, days.get(date), detail.next ?? [], orders)}
                          orders={orders}
                          next={detail.next ?? []}
                          workflow={workflow}
                          job={job}
                        />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </Loaded>
    </section>
  );
}

/**
 * timesOf are the times at which the job is due on a day, as far as they are told: those of its next plan
 * times too, which may be written down already, and those of which something was ordered.
 */
function timesOf(date: string, one: JobDay | undefined, next: string[], orders: Order[]): string[] {
  const told = [...next, ...orders.map((order) => order.planTime)].filter((at) => at.startsWith(date));
  const all = new Map([...told, ...(one?.times ?? [])].map((at) => [Date.parse(at), at]));
  return [...all].sort(([a], [b]) => a - b).map(([, at]) => at);
}

interface DayProps {
  date: string;
  one: JobDay | undefined;
  times: string[];
  orders: Order[];
  next: string[];
  workflow: string;
  job: string;
}

function Day(props: DayProps) {
  const t = useT();
  const { date, one, times } = props;
  const total = one?.total ?? 0;
  const due = Math.max(
    times.length,
    (one?.planned ?? 0) + (times.length > (one?.times ?? []).length ? times.length - (one?.times ?? []).length : 0),
  );
  const ordered = new Map(props.orders.map((order) => [Date.parse(order.planTime), order]));
  const named = namedTimes(times, due > timesShown ? timesShown - 1 : timesShown, (at) => ordered.has(Date.parse(at)));
  const rest = restOf(date, due, named.length, props.next);
  const hours = one === undefined ? 24 : hoursOf(one);
  const inner = (
    <>
      <span className="date">
        {dayOfMonth(date)}
        {total > 0 && <span className="hidden"> {dayWords(date, one, t)}</span>}
        {hours !== 24 && <span className="soft small"> {t("unit.hour", { n: hours })}</span>}
      </span>
      {one?.worst !== undefined && (
        <span className={`state ${one.worst}`}>
          <Glyph state={one.worst} />
          {total > 1 && <span className="number">{total}</span>}
        </span>
      )}
      {times.length > 0 && (
        <span className="times number soft">
          {named.map((at) => (
            <Time key={at} at={at} order={ordered.get(Date.parse(at))} />
          ))}
          {rest !== "" && <span>{rest}</span>}
        </span>
      )}
    </>
  );
  const words = dayWords(date, one, t);
  if (total === 0)
    return (
      <div className="day" title={words}>
        {inner}
      </div>
    );
  return (
    <Link className="day" href={`/instances?q=${encodeURIComponent(selectorOf(props.workflow, props.job, date))}`} title={words}>
      {inner}
    </Link>
  );
}

/** Time is a time of a day, marked when something was ordered of it ahead. */
function Time({ at, order }: { at: string; order: Order | undefined }) {
  const time = at.slice(11, 16);
  if (order === undefined) return <span>{time}</span>;
  return (
    <span className="ordered" title={order.text}>
      {time}
      <span className="hidden">, {order.text}</span>
    </span>
  );
}
