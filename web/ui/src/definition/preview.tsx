import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { Dependencies } from "../instance/dependencies";
import { Loaded } from "../parts/problem";
import { clock } from "../parts/time";
import { type Preview, previewQuery, type Source } from "./queries";
import { Timeline } from "./timeline";

/** PreviewTab asks for a job and a date. text is null for what is loaded, and undefined while the text is not valid. */
export function PreviewTab(props: {
  source: Source;
  text: string | null | undefined;
  jobs: string[];
  asked: string;
  date: string;
  set: (values: Record<string, string | null>) => void;
}) {
  const t = useT();
  const { source, text, jobs, set } = props;
  const job = jobs.includes(props.asked) ? props.asked : (jobs[0] ?? "");
  const date = /^\d{4}-\d{2}-\d{2}$/.test(props.date) ? props.date : today();
  const query = useQuery({ ...previewQuery(source, text ?? null, job, date), enabled: text !== undefined && job !== "" });
  return (
    <div className="stack">
      <div className="row">
        <label className="row">
          {t("definition.job")}
          <select value={job} onChange={(event) => set({ job: event.target.value, at: null })}>
            {jobs.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <button type="button" aria-label={t("definition.dayBefore")} onClick={() => set({ date: moved(date, -1), at: null })}>
          ←
        </button>
        <input
          type="date"
          aria-label={t("definition.date")}
          value={date}
          onChange={(event) => event.target.value !== "" && set({ date: event.target.value, at: null })}
        />
        <button type="button" aria-label={t("definition.dayAfter")} onClick={() => set({ date: moved(date, 1), at: null })}>
          →
        </button>
        <span className="soft small">{t(text === null ? "definition.byLoaded" : "definition.byText")}</span>
      </div>
      {text === undefined ? (
        <p className="soft">{t("definition.previewWaits")}</p>
      ) : (
        <Loaded query={query}>{(preview) => <Day key={`${preview.job} ${preview.date}`} preview={preview} />}</Loaded>
      )}
    </div>
  );
}

function Day({ preview }: { preview: Preview }) {
  const t = useT();
  const [chosen, setChosen] = useState(0);
  const n = Math.min(chosen, Math.max(0, preview.instances.length - 1));
  const instance = preview.instances[n];
  return (
    <>
      <p>{preview.schedule}</p>
      {preview.disabled && <p className="notice">{t("definition.disabled")}</p>}
      {instance === undefined ? (
        <p className="soft">{nothing(preview, t)}</p>
      ) : (
        <>
          <Timeline preview={preview} chosen={n} onChoose={setChosen} />
          <label className="row">
            {t("definition.instance", { n: preview.total })}
            <select value={n} onChange={(event) => setChosen(Number(event.target.value))}>
              {preview.instances.map((one, k) => (
                <option key={one.planTime} value={k}>
                  {clock(one.planTime)}
                </option>
              ))}
            </select>
            {instance.state !== undefined && <StateMark state={instance.state} />}
            {instance.dryRun && <span className="soft">{t("instance.dryRun")}</span>}
            {preview.total > preview.instances.length && (
              <span className="soft">{t("definition.first", { n: preview.instances.length })}</span>
            )}
          </label>
          <Dependencies explanation={instance} />
        </>
      )}
    </>
  );
}

function nothing(preview: Preview, t: ReturnType<typeof useT>): string {
  if (preview.manual) return t("definition.manual");
  if (preview.effective !== undefined && Date.parse(preview.effective) >= Date.parse(preview.to)) {
    return t("definition.notYet", { from: clock(preview.effective) });
  }
  return t("definition.notDue", { date: preview.date });
}

/** today is the date of this machine; the day of another zone may be the next one or the one before. */
export function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

export function moved(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
