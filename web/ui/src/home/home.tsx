import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { recentQuery, type State, statusQuery } from "../api/queries";
import { gateWord, StateMark } from "../design/state";
import { known, useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { useNow } from "./now";
import { Short } from "./short";
import { Wrong } from "./wrong";

const order: State[] = ["waiting", "running", "lost", "failed", "succeeded", "forced", "skipped", "cancelled"];

/** Home is what is wrong now, and why; then what runs, and how the day went so far. */
export function Home() {
  const t = useT();
  const status = useQuery(statusQuery);
  return (
    <>
      <h1>{t("home.title")}</h1>
      <Loaded query={status}>
        {(data) => (
          <>
            <Counts status={data} />
            {Object.values(data.instances).every((n) => n === 0) ? <p className="card">{t("home.empty")}</p> : <Panels />}
          </>
        )}
      </Loaded>
    </>
  );
}

function Counts({ status }: { status: Schemas["Status"] }) {
  const t = useT();
  const gates = Object.entries(status.gates).filter(([, n]) => n > 0);
  return (
    <section className="stack" aria-label={t("home.counts")}>
      <div className="counts">
        {order.map((state) => (
          <Link key={state} className="count" href={`/instances?q=${encodeURIComponent(`date:yesterday..today state:${state}`)}`}>
            <StateMark state={state} />
            <strong className="number">{status.instances[state]}</strong>
          </Link>
        ))}
        <span className="count">
          {t("home.slots")}
          <strong className="number">
            {status.slots.used}/{status.slots.total}
          </strong>
        </span>
      </div>
      <p className="soft small">
        {t("home.countsOf")}
        {gates.length > 0 && (
          <>
            {" · "}
            {t("home.gates")}:{" "}
            {gates.map(([gate, n], at) => (
              <span key={gate}>
                {at > 0 && ", "}
                <Link href={`/instances?q=${encodeURIComponent(`date:yesterday..tomorrow gate:${gate}`)}`}>
                  {known(`gate.${gate}`) ? gateWord(gate, t) : gate} {n}
                </Link>
              </span>
            ))}
          </>
        )}
      </p>
    </section>
  );
}

function Panels() {
  const t = useT();
  const now = useNow();
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  const running = useQuery(recentQuery({ state: ["running"] }, 20));
  const ended = useQuery(
    recentQuery(
      { state: ["succeeded", "forced", "failed", "skipped", "cancelled"], from: midnight.toISOString(), to: now.toISOString() },
      15,
    ),
  );
  return (
    <div className="home">
      <Wrong now={now} />
      <div className="stack">
        <section className="card">
          <h2>{t("home.running")}</h2>
          <Loaded query={running}>{({ items }) => <Short items={items ?? []} none={t("home.runningNone")} />}</Loaded>
        </section>
        <section className="card">
          <h2>{t("home.today")}</h2>
          <Loaded query={ended}>{({ items }) => <Short items={items ?? []} none={t("home.todayNone")} />}</Loaded>
        </section>
      </div>
    </div>
  );
}
