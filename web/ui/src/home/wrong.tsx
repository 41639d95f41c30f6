import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { concernsQuery, deadlinesQuery } from "../admin/queries";
import type { Schemas } from "../api/client";
import { recentQuery, statusQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { CauseCard } from "../instance/cause";
import { Loaded } from "../parts/problem";
import { clock, span } from "../parts/time";
import { Known } from "./incidents";
import { Short } from "./short";
import { standing } from "./standing";

const listed = 100;
const shown = 20;
const day = 86_400_000;

/** Wrong is what is wrong now, as the server has it: what needs somebody first, with what each holds up; then what has failed besides. */
export function Wrong({ now }: { now: Date }) {
  const t = useT();
  const concerns = useQuery(concernsQuery);
  const failed = useQuery(
    recentQuery(
      { state: ["failed", "lost"], from: new Date(now.getTime() - 7 * day).toISOString(), to: new Date(now.getTime() + day).toISOString() },
      listed,
    ),
  );
  const late = useQuery(deadlinesQuery);
  const status = useQuery(statusQuery);
  const told = failed.data !== undefined && late.data !== undefined && status.data !== undefined;
  const roots = new Set((concerns.data?.concerns ?? []).map((one) => one.root.id));
  const others = concerns.data === undefined ? [] : (failed.data?.items ?? []).filter((one) => !roots.has(one.id));
  return (
    <div className="stack">
      <section className="card">
        <h2>{t("home.wrong")}</h2>
        <Loaded query={concerns}>
          {({ concerns: items, all, definitions }) => {
            const words = standing({
              concerns: (items ?? []).length,
              folder: definitions !== undefined,
              failed: others.length,
              late: late.data?.all ?? 0,
              ready: status.data?.ready !== false,
            });
            if (words !== undefined)
              return told ? (
                <p className={words.well ? "succeeded" : "soft"}>{t(words.text)}</p>
              ) : (
                <p className="soft">{t("page.loading")}</p>
              );
            return (
              <>
                {(items ?? []).map((one) => (
                  <ConcernCard key={one.root.id} concern={one} now={now} />
                ))}
                {all > (items ?? []).length && (
                  <p>
                    <Link href="/incidents">{t("home.concernsMore", { n: all - (items ?? []).length })}</Link>
                  </p>
                )}
              </>
            );
          }}
        </Loaded>
      </section>
      {others.length > 0 && (
        <section className="card">
          <h2>{t("home.failed")}</h2>
          <Short items={others.slice(0, shown)} none="" />
          {others.length > shown && <Link href={`/instances?q=${encodeURIComponent("state:failed,lost")}`}>{t("more")}</Link>}
        </section>
      )}
    </div>
  );
}

function ConcernCard({ concern, now }: { concern: Schemas["Concern"]; now: Date }) {
  const t = useT();
  const { root, holds, blocked } = concern;
  const cause = {
    ...root,
    instance: root.id,
    state: concern.state,
    gate: concern.gate,
    reason: concern.reason,
    help: concern.help,
    forecast: {},
  };
  const since = (now.getTime() - Date.parse(concern.since)) / 1000;
  return (
    <CauseCard cause={cause} needs={concern.needsSomebody}>
      <div className="row small">
        {since >= 60 && <span className="soft">{t("home.since", { span: span(since, t) })}</span>}
        {concern.incident !== undefined && <Known id={concern.incident} who={concern.acknowledgedBy} />}
      </div>
      {blocked > 0 && (
        <div>
          <strong>{t("home.blocks", { n: blocked })}</strong>
          <ul>
            {(holds ?? []).map((one) => (
              <li key={one.id}>
                <Link href={`/instances/${one.id}`}>
                  {one.workflow}/{one.job} {clock(one.planTime)}
                </Link>
              </li>
            ))}
            {blocked > (holds ?? []).length && <li className="soft">{t("home.blockedMore", { n: blocked - (holds ?? []).length })}</li>}
          </ul>
        </div>
      )}
    </CauseCard>
  );
}
