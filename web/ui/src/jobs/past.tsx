import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Schemas } from "../api/client";
import { useAll } from "../parts/all";
import { Loaded } from "../parts/problem";
import { type JobDay, yearAbout } from "./days";
import { Durations } from "./durationchart";
import { Month } from "./month";
import { daysQuery, todayQuery } from "./queries";
import { Year } from "./year";
import "./days.css";

/** Past is what became of a job and what is to come, by the day: the year at one look, the month with its times, and how long it took of late. */
export default function Past({ detail }: { detail: Schemas["JobDetail"] }) {
  const { workflow, job } = detail;
  const [here] = useState(() => new Date().toISOString().slice(0, 10)); // until the server has said which day it is where the job is
  const near = useInfiniteQuery(todayQuery(workflow, job, here));
  return (
    <Loaded query={near}>
      {({ pages }) => <Shown detail={detail} today={pages[0]?.today ?? here} near={pages.flatMap((page) => page.days ?? [])} />}
    </Loaded>
  );
}

function Shown({ detail, today, near }: { detail: Schemas["JobDetail"]; today: string; near: JobDay[] }) {
  const { workflow, job } = detail;
  const { from, to, weeks } = useMemo(() => yearAbout(today), [today]);
  const year = useInfiniteQuery(daysQuery(workflow, job, from, to));
  useAll(year, 20);
  const days = useMemo(
    () => new Map([...(year.data?.pages.flatMap((page) => page.days ?? []) ?? []), ...near].map((one) => [one.date, one])),
    [year.data, near],
  );
  return (
    <>
      <Loaded query={year}>
        {() => <Year workflow={workflow} job={job} weeks={weeks} today={today} days={days} partial={year.hasNextPage} />}
      </Loaded>
      <div className="grid">
        <Month detail={detail} today={today} near={near} />
        <Durations workflow={workflow} job={job} />
      </div>
    </>
  );
}
