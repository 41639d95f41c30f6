import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { deadlinesQuery } from "../admin/queries";
import type { Schemas } from "../api/client";
import type { State } from "../api/queries";
import { gateWord, StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { pages } from "../pages";

const order: State[] = ["failed", "lost", "running", "waiting", "succeeded", "forced", "skipped", "cancelled"];

/** Glance is how the day stands: a strip of what is open and what has ended within a day, by state, and each as a number that leads to its list. */
export function Glance({ status }: { status: Schemas["Status"] }) {
  const t = useT();
  const late = useQuery(deadlinesQuery);
  const all = order.reduce((sum, state) => sum + status.instances[state], 0);
  const gates = Object.entries(status.gates).filter(([, n]) => n > 0);
  const day = pages.some((page) => page.path === "/day") ? "/day" : "/instances";
  return (
    <section className="card stack glance" aria-label={t("home.glance")}>
      <div className="state-strip" aria-hidden="true">
        {order.map(
          (state) =>
            status.instances[state] > 0 && (
              <span key={state} className={`part ${state}`} style={{ flexGrow: Math.max(status.instances[state] / all, 0.004) }} />
            ),
        )}
      </div>
      <div className="counts">
        {order.map((state) => (
          <Link
            key={state}
            className={status.instances[state] === 0 ? "count none" : "count"}
            href={`/instances?q=${encodeURIComponent(whole(state))}`}
          >
            <StateMark state={state} />
            <strong className="number">{status.instances[state]}</strong>
          </Link>
        ))}
        <span className={late.data?.all ? "count late" : "count none"}>
          {t("home.glance.late")}
          <strong className="number">{late.data?.all ?? 0}</strong>
        </span>
        <span className="count">
          {t("home.slots")}
          <strong className="number">
            {status.slots.used}/{status.slots.total}
          </strong>
        </span>
      </div>
      <p className="soft small row">
        <span>
          {t("home.countsOf")}
          {gates.length > 0 && (
            <>
              {" · "}
              {t("home.gates")}{" "}
              {gates.map(([gate, n], at) => (
                <span key={gate}>
                  {at > 0 && " · "}
                  <Link href={`/instances?q=${encodeURIComponent(`state:waiting gate:${gate}`)}`}>
                    {gateWord(gate, t)} {n}
                  </Link>
                </span>
              ))}
            </>
          )}
        </span>
        <span className="grow" />
        <Link href={day}>{day === "/day" ? t("home.glance.day") : t("home.glance.list")}</Link>
      </p>
    </section>
  );
}

/** whole chooses all that a count of a state counts, of whatever day: only what has succeeded is too much without one. */
const whole = (state: State) => (state === "succeeded" ? "date:yesterday..today state:succeeded" : `state:${state}`);
