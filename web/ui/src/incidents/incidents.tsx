import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { incidentsQuery } from "../admin/queries";
import { useAddress } from "../parts/address";
import "./incidents.css";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { Rows } from "../parts/rows";
import { clocks } from "../parts/time";
import { IncidentState } from "./state";

/** IncidentsPage lists the root causes of trouble: those that are open, or all that are kept. */
export default function IncidentsPage() {
  const t = useT();
  const [search, setSearch] = useAddress();
  const state = search.get("state") === "all" ? "all" : "open";
  const query = useInfiniteQuery(incidentsQuery(state));
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items ?? []) ?? [], [query.data]);
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const clock = clocks(items.map((one) => one.openedAt));
  return (
    <>
      <h1>{t("incidents.title")}</h1>
      <div className="row">
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form */}
        <div className="row" role="group" aria-label={t("incidents.which")}>
          {(["open", "all"] as const).map((one) => (
            <button
              type="button"
              key={one}
              aria-pressed={one === state}
              onClick={() => setSearch(one === "all" ? { state: "all" } : {}, { replace: true })}
            >
              {t(`incidents.${one}`)}
            </button>
          ))}
        </div>
        <span className="soft" role="status">
          {query.data && t(hasNextPage ? "incidents.countMore" : "incidents.count", { n: items.length })}
        </span>
      </div>
      <Loaded query={query}>
        {() =>
          items.length === 0 ? (
            <p className="card">{t(state === "open" ? "incidents.none" : "incidents.noneEver")}</p>
          ) : (
            <Rows
              className="incidents"
              label={t("incidents.list")}
              head={
                <>
                  <span>{t("column.state")}</span>
                  <span>{t("incident.title")}</span>
                  <span>{t("incident.opened")}</span>
                  <span>{t("incident.trouble")}</span>
                  <span>{t("incident.blocked")}</span>
                  <span>{t("incident.known")}</span>
                </>
              }
              items={items}
              keyOf={(one) => one.id}
              hrefOf={(one) => `/incidents/${one.id}`}
              onEnd={more}
            >
              {(one) => (
                <>
                  <IncidentState incident={one} />
                  <span className="about" title={one.title}>
                    {one.title}
                  </span>
                  <span className="number">{clock(one.openedAt)}</span>
                  <span className="number">{t("incident.troubleOf", { open: one.open, n: one.trouble })}</span>
                  <span className="number">{one.blocked}</span>
                  <span className="soft">{one.acknowledgedBy}</span>
                </>
              )}
            </Rows>
          )
        }
      </Loaded>
    </>
  );
}
