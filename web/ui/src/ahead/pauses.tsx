import { queryOptions, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Link } from "wouter";
import { get, type Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Act } from "../parts/act";
import { code } from "../parts/code";
import { stamp } from "../parts/time";

export type Pause = Schemas["Pause"];

const PauseDialog = lazy(() => code(() => import("./pausing")).then((module) => ({ default: module.PauseDialog })));
const ResumeDialog = lazy(() => code(() => import("./pausing")).then((module) => ({ default: module.ResumeDialog })));

export const pausesQuery = queryOptions({
  queryKey: ["list", "pauses"],
  queryFn: ({ signal }) => get("/api/v1/pauses", { query: { limit: 1000 }, signal }),
});

/** PauseButton pauses a job, or its workflow. */
export function PauseButton({ workflow, job }: { workflow: string; job: string }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Act needs="operator" onClick={() => setOpen(true)}>
        {t("pause.pause")}…
      </Act>
      <Suspense>{open && <PauseDialog workflow={workflow} job={job} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** Paused says that a job or a workflow is paused, by whom, until when and why, and lets it go on. */
export function Paused({ pause }: { pause: Pause }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const name = pause.job === undefined ? pause.workflow : `${pause.workflow}/${pause.job}`;
  return (
    <div className="notice row paused">
      <div className="grow">
        <p>
          {t(pause.job === undefined ? "pause.isWorkflow" : "pause.isJob", { name, who: pause.by, at: stamp(pause.since) })}{" "}
          {pause.until === undefined ? t("pause.open") : t("pause.ends", { at: stamp(pause.until) })}{" "}
          {t(`pause.then.${pause.missed ?? "job"}`)}
        </p>
        {pause.note !== undefined && <p className="soft">{pause.note}</p>}
      </div>
      <Act needs="operator" onClick={() => setOpen(true)}>
        {t("pause.resume")}…
      </Act>
      <Suspense>{open && <ResumeDialog pause={pause} onClose={() => setOpen(false)} />}</Suspense>
    </div>
  );
}

/** PausedCard lists what is paused, so that nobody forgets it. */
export function PausedCard() {
  const t = useT();
  const { data } = useQuery(pausesQuery);
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="card stack">
      <h2>{t("pause.list")}</h2>
      {items.slice(0, 10).map((one) => (
        <Paused key={`${one.workflow}/${one.job ?? ""} ${one.since}`} pause={one} />
      ))}
      {items.length > 10 && <Link href="/jobs">{t("operations.more", { n: items.length - 10 })}</Link>}
    </section>
  );
}
