import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Ordered } from "../ahead/ordered";
import { useOrders } from "../ahead/orders";
import { get, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { clocks, span } from "../parts/time";

const listed = 6;
const counted = 1_000; // the server counts no further

const upcomingQuery = queryOptions({
  queryKey: ["list", "upcoming"],
  queryFn: ({ signal }) => get("/api/v1/upcoming", { query: { limit: listed }, signal }),
  refetchInterval: 60_000, // time passes without a change
});

/** Next is what is due next, of each job its first. */
export function Next({ now }: { now: Date }) {
  const t = useT();
  const query = useQuery(upcomingQuery);
  return (
    <section className="card">
      <h2>{t("home.next")}</h2>
      <Loaded query={query}>
        {({ instances: items, together }) =>
          (items ?? []).length === 0 ? (
            <p className="soft">{t("home.nextNone")}</p>
          ) : (
            <Coming items={items ?? []} together={together} now={now} />
          )
        }
      </Loaded>
    </section>
  );
}

function Coming({ items, together, now }: { items: Schemas["Instance"][]; together: number; now: Date }) {
  const t = useT();
  const orderOf = useOrders();
  const clock = clocks(items.map((one) => one.planTime));
  const first = items[0]?.planTime ?? "";
  const more = together - items.filter((one) => Date.parse(one.planTime) === Date.parse(first)).length;
  return (
    <>
      <table>
        <tbody>
          {items.map((one) => {
            const seconds = (Date.parse(one.planTime) - now.getTime()) / 1000;
            return (
              <tr key={one.id}>
                <td>
                  <Link href={`/instances/${one.id}`}>
                    {one.workflow}/{one.job}
                  </Link>{" "}
                  <Ordered order={orderOf(one.workflow, one.job, one.planTime)} />
                </td>
                <td className="number nowrap">{clock(one.planTime)}</td>
                <td className="soft number nowrap end">
                  {seconds < 60 ? t("home.nextNow") : t("home.nextIn", { span: span(seconds, t) })}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {more > 0 && (
        <p>
          <Link className="small" href={`/instances?q=${encodeURIComponent(`state:waiting time:${first}..${first}`)}`}>
            {t("home.nextMore", { n: together < counted ? more : `${more}+`, at: clock(first) })}
          </Link>
        </p>
      )}
    </>
  );
}
