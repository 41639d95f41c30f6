import { useQuery } from "@tanstack/react-query";
import { PausedCard } from "../ahead/pauses";
import { Folder } from "./folder";
import { Next } from "./next";
import "./home.css";
import { recentQuery, statusQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { Changed } from "./changed";
import { Deadlines } from "./deadlines";
import { Glance } from "./glance";
import { useNow } from "./now";
import { Short } from "./short";
import { Start } from "./start";
import { Wrong } from "./wrong";

/** Home is what is wrong now, and why; then what is late, what changed, what runs, and how the day went so far. */
export function Home() {
  const t = useT();
  const status = useQuery(statusQuery);
  return (
    <>
      <h1>{t("home.title")}</h1>
      <Loaded query={status}>
        {(data) =>
          Object.values(data.instances).every((n) => n === 0) ? (
            <>
              <Folder />
              <Start />
            </>
          ) : (
            <>
              <Glance status={data} />
              <Panels />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Panels() {
  const t = useT();
  const now = useNow();
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  const running = useQuery(recentQuery({ state: ["running"] }, 10));
  const ended = useQuery(
    recentQuery(
      { state: ["succeeded", "forced", "failed", "skipped", "cancelled"], from: midnight.toISOString(), to: now.toISOString() },
      10,
    ),
  );
  return (
    <div className="home">
      <div className="stack">
        <Folder />
        <Wrong now={now} />
        <PausedCard />
        <Next now={now} />
      </div>
      <div className="stack">
        <Deadlines />
        <section className="card">
          <h2>{t("home.running")}</h2>
          <Loaded query={running}>{({ items }) => <Short items={items ?? []} none={t("home.runningNone")} />}</Loaded>
        </section>
        <Changed />
        <section className="card">
          <h2>{t("home.today")}</h2>
          <Loaded query={ended}>{({ items }) => <Short items={items ?? []} none={t("home.todayNone")} />}</Loaded>
        </section>
      </div>
    </div>
  );
}
