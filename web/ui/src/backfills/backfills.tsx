import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Link } from "wouter";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { Rows } from "../parts/rows";
import "./backfills.css";
import { dayRange, laneWords, leftWords, names } from "./lanewords";
import { Bar, StageMark, Written, writtenWords } from "./mark";
import { type Backfill, backfillsQuery, writing } from "./queries";

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
                  <Progress backfill={one} />
                  <span className="about" title={names(one, 2)}>
                    {names(one, 2)}
                  </span>
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

/** Progress is how far a backfill is, in the list. */
function Progress({ backfill }: { backfill: Backfill }) {
  const t = useT();
  const { done, total, written = 0, instances } = backfill;
  if (writing(backfill)) {
    return (
      <span className="progress">
        <Written backfill={backfill} label={writtenWords(backfill, t)} />
        <span className="number small">
          {written}/{total} <span className="soft">{t("backfill.writtenShort")}</span>
        </span>
      </span>
    );
  }
  return (
    <span className="progress">
      <Bar counts={instances} total={total} label={t("backfill.done", { n: done, of: total })} />
      <span className="number small">
        {done}/{total} <span className="soft">{leftWords(backfill, t)}</span>
      </span>
    </span>
  );
}
