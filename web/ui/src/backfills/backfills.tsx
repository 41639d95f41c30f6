import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Link } from "wouter";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { Rows } from "../parts/rows";
import "./backfills.css";
import { dayRange, laneWords, leftWords, names } from "./lanewords";
import { Bar, StageMark } from "./mark";
import { backfillsQuery } from "./queries";

/** BackfillsPage lists the backfills, the newest first, with how far each is. */
export default function BackfillsPage() {
  const t = useT();
  const query = useInfiniteQuery(backfillsQuery);
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items ?? []) ?? [], [query.data]);
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return (
    <>
      <header className="row">
        <h1 className="grow">{t("backfills.title")}</h1>
        <Link className="button primary" href="/backfills/new">
          {t("backfills.new")}
        </Link>
      </header>
      <Loaded query={query}>
        {() =>
          items.length === 0 ? (
            <div className="card stack">
              <p>{t("backfills.none")}</p>
              <p className="soft">{t("backfills.noneHint")}</p>
            </div>
          ) : (
            <Rows
              className="backfills"
              label={t("backfills.list")}
              head={
                <>
                  <span>{t("column.state")}</span>
                  <span>{t("backfill.progress")}</span>
                  <span>{t("column.job")}</span>
                  <span>{t("wizard.days")}</span>
                  <span>{t("column.actor")}</span>
                  <span>{t("backfill.noteAndLane")}</span>
                </>
              }
              items={items}
              keyOf={(one) => one.id}
              hrefOf={(one) => `/backfills/${encodeURIComponent(one.id)}`}
              onEnd={more}
            >
              {(one) => (
                <>
                  <StageMark backfill={one} />
                  <span className="progress">
                    <Bar counts={one.instances} total={one.total} label={t("backfill.done", { n: one.done, of: one.total })} />
                    <span className="number small">
                      {one.done}/{one.total} <span className="soft">{leftWords(one, t)}</span>
                    </span>
                  </span>
                  <span>{names(one, 2)}</span>
                  <span className="number">{dayRange(one)}</span>
                  <span>
                    {one.actor} <span className="soft number small">{one.createdAt.slice(0, 10)}</span>
                  </span>
                  <span>
                    {one.note} <span className="soft">{laneWords(one, t).join(" · ")}</span>
                  </span>
                </>
              )}
            </Rows>
          )
        }
      </Loaded>
    </>
  );
}
