import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useDeferredValue, useMemo } from "react";
import { Link } from "wouter";
import { PausedCard } from "../ahead/pauses";
import { jobsQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { Rows } from "../parts/rows";
import { clocks } from "../parts/time";

/** JobsPage lists the jobs whose names have the typed words in them. */
export default function JobsPage() {
  const t = useT();
  const [search, setSearch] = useAddress();
  const words = search.get("q") ?? "";
  const query = useInfiniteQuery(jobsQuery(useDeferredValue(words), true));
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items ?? []) ?? [], [query.data]);
  const clock = useMemo(() => clocks(items.map((job) => job.due)), [items]);
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return (
    <>
      <h1>{t("jobs.title")}</h1>
      <div className="row">
        <label className="row">
          {t("jobs.search")}
          <input
            type="search"
            data-search
            spellCheck={false}
            value={words}
            onChange={(event) => setSearch(event.target.value === "" ? {} : { q: event.target.value }, { replace: true })}
          />
        </label>
        <span className="soft" role="status">
          {query.data && t(hasNextPage ? "jobs.countMore" : "jobs.count", { n: items.length })}
        </span>
      </div>
      <PausedCard />
      <Loaded query={query}>
        {() =>
          items.length === 0 ? (
            <div className="card stack">
              <p>{t(words === "" ? "wizard.noJobs" : "jobs.none")}</p>
              {words === "" ? (
                <Link href="/">{t("jobs.begin")}</Link>
              ) : (
                <div>
                  <button type="button" onClick={() => setSearch({}, { replace: true })}>
                    {t("jobs.all")}
                  </button>
                </div>
              )}
            </div>
          ) : (
            <Rows
              className="jobs"
              label={t("jobs.list")}
              head={
                <>
                  <span>{t("column.job")}</span>
                  <span>{t("column.state")}</span>
                  <span>{t("jobs.next")}</span>
                  <span>{t("jobs.due")}</span>
                </>
              }
              items={items}
              keyOf={(job) => job.id}
              hrefOf={(job) => `/jobs/${encodeURIComponent(job.workflow)}/${encodeURIComponent(job.job)}`}
              onEnd={more}
            >
              {(job) => (
                <>
                  <span className="about" title={`${job.workflow}/${job.job}`}>
                    {job.workflow}/{job.job}
                  </span>
                  <span className="soft">
                    {job.removed ? t("jobs.removed") : job.disabled ? t("jobs.disabled") : job.paused ? t("pause.paused") : ""}
                  </span>
                  <span className="number">{clock(job.due)}</span>
                  <span className="soft" title={job.recurrence}>
                    {job.recurrence}
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
