import { useQueries } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { recentQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { clocks, span } from "../parts/time";
import { soonest } from "./soonest";

const minute = 60_000;
const reaches = [10 * minute, 120 * minute, 24 * 60 * minute];
const listed = 6;

/** Next is what is due next. The list of the server begins with the latest, so the first of three lengths of time in which anything is due is asked for whole. */
export function Next({ now }: { now: Date }) {
  const t = useT();
  const asked = useQueries({
    queries: reaches.map((reach) =>
      recentQuery({ state: ["waiting"], from: now.toISOString(), to: new Date(now.getTime() + reach).toISOString() }, 200),
    ),
  });
  const query = asked.find((one) => one.isPending || (one.data?.items ?? []).length > 0) ?? asked[0];
  if (query === undefined) return null;
  return (
    <section className="card">
      <h2>{t("home.next")}</h2>
      <Loaded query={query}>
        {({ items }) =>
          (items ?? []).length === 0 ? (
            <p className="soft">{t("home.nextNone")}</p>
          ) : (
            <Coming items={soonest(items ?? [], listed)} now={now} />
          )
        }
      </Loaded>
    </section>
  );
}

function Coming({ items, now }: { items: Schemas["Instance"][]; now: Date }) {
  const t = useT();
  const clock = clocks(items.map((one) => one.planTime));
  return (
    <table>
      <tbody>
        {items.map((one) => {
          const seconds = (Date.parse(one.planTime) - now.getTime()) / 1000;
          return (
            <tr key={one.id}>
              <td>
                <Link href={`/instances/${one.id}`}>
                  {one.workflow}/{one.job}
                </Link>
              </td>
              <td className="number nowrap">{clock(one.planTime)}</td>
              <td className="soft number nowrap end">{seconds < 60 ? t("home.nextNow") : t("home.nextIn", { span: span(seconds, t) })}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
