import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { get } from "../api/client";
import { daysAfter } from "./days";

const days = (key: string[], workflow: string, job: string, from: string, to: string) =>
  infiniteQueryOptions({
    queryKey: [...key, workflow, job, "days", from, to],
    queryFn: ({ signal, pageParam }) =>
      get("/api/v1/jobs/{workflow}/{job}/days", { path: { workflow, job }, query: { from: pageParam, to }, signal }),
    initialPageParam: from,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

/** The days of a job as they were a while ago: what is long past hardly changes, and to count a year of a busy job is some work. */
export const daysQuery = (workflow: string, job: string, from: string, to: string) => ({
  ...days(["days"], workflow, job, from, to),
  staleTime: 300_000,
});

/** The days about today as they are now. */
export const todayQuery = (workflow: string, job: string, today: string) =>
  days(["job"], workflow, job, daysAfter(today, -1), daysAfter(today, 3));
