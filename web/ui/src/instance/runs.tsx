import { queryOptions, useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { between, clock } from "../parts/time";

export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ["instance", id, "runs"],
    queryFn: ({ signal }) => get("/api/v1/instances/{id}/runs", { path: { id }, query: { limit: 100 }, signal }),
  });

/** Runs are the runs of an instance that was run again, each with its own times. */
export function Runs({ id }: { id: string }) {
  const t = useT();
  const { data } = useQuery(runsQuery(id));
  const items = data?.items ?? [];
  if (items.length < 2) return null;
  return (
    <section className="card stack">
      <h2>{t("runs.title")}</h2>
      <p className="soft small">{t("runs.hint")}</p>
      <div className="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">{t("runs.number")}</th>
              <th scope="col">{t("column.state")}</th>
              <th scope="col">{t("runs.started")}</th>
              <th scope="col">{t("runs.ended")}</th>
              <th scope="col">{t("column.took")}</th>
              <th scope="col">{t("column.reason")}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((one) => (
              <tr key={one.number}>
                <td className="number nowrap">
                  {one.number} {one.current && <span className="soft small">{t("runs.current")}</span>}
                </td>
                <td>
                  <StateMark state={one.state} />
                </td>
                <td className="number nowrap">{clock(one.startedAt)}</td>
                <td className="number nowrap">{clock(one.endedAt)}</td>
                <td className="number nowrap">{between(one.startedAt, one.endedAt, t)}</td>
                <td>{one.reason.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
