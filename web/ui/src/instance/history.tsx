import { useInfiniteQuery } from "@tanstack/react-query";
import { eventsQuery } from "../api/queries";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { clock } from "../parts/time";

/** History is every line of what happened to an instance, the oldest first. */
export function History({ id }: { id: string }) {
  const t = useT();
  const query = useInfiniteQuery(eventsQuery(id));
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("column.at")}</th>
                <th scope="col">{t("column.event")}</th>
                <th scope="col">{t("column.state")}</th>
                <th scope="col">{t("column.reason")}</th>
                <th scope="col">{t("column.actor")}</th>
              </tr>
            </thead>
            <tbody>
              {pages.flatMap((page) =>
                (page.items ?? []).map((event) => (
                  <tr key={event.id}>
                    <td className="number">{clock(event.at)}</td>
                    <td>{event.kind}</td>
                    <td>{event.to !== undefined && <StateMark state={event.to} />}</td>
                    <td className="words">{event.reason.text}</td>
                    <td>{event.actor}</td>
                  </tr>
                )),
              )}
            </tbody>
          </table>
          {query.hasNextPage && (
            <button type="button" onClick={() => void query.fetchNextPage()}>
              {t("more")}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}
