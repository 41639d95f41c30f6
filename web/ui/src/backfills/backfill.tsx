import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { Act } from "../parts/act";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { clock, stamp } from "../parts/time";
import { ActDialog, ChangeDialog, type Opened } from "./acts";
import "./backfills.css";
import { Blocked } from "./blocked";
import { dayRange, laneWords, leftWords } from "./lanewords";
import { Bar, order, StageMark, Written, writtenWords } from "./mark";
import { type Backfill, backfillQuery, daysQuery, heldQuery, writing } from "./queries";
import { Strip } from "./strip";

/** BackfillPage is one backfill: how far it is, day by day, what holds it, what failed, and what can be done. */
export default function BackfillPage() {
  const { id } = useParams<{ id: string }>();
  const query = useQuery(backfillQuery(id));
  return <Loaded query={query}>{(backfill) => <Shown backfill={backfill} />}</Loaded>;
}

const possible: Record<string, Opened[]> = {
  running: ["pause", "change", "cancel"],
  paused: ["resume", "change", "cancel"],
  cancelling: ["cancel"],
  applying: ["cancel"],
  withdrawing: [],
};

function Shown({ backfill }: { backfill: Backfill }) {
  const t = useT();
  const [search, setSearch] = useAddress();
  const list = possible[backfill.state] ?? [];
  const open = list.find((one) => one === search.get("do"));
  const choose = (what: Opened | null) => setSearch(what === null ? {} : { do: what }, { replace: true });
  return (
    <>
      <header className="stack">
        <div className="row">
          <h1>
            {t("backfill.title")} <span className="mono">{backfill.id}</span>
          </h1>
          <span className="grow" />
          <StageMark backfill={backfill} />
        </div>
        {backfill.note !== undefined && <p>{backfill.note}</p>}
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form */}
        <div className="row" role="group" aria-label={t("operations.title")}>
          {list.map((what) => (
            <Act needs="operator" key={what} className={what === "resume" ? "primary" : undefined} onClick={() => choose(what)}>
              {t(`backfill.do.${what}`)}…
            </Act>
          ))}
          {!writing(backfill) && (
            <Link className="button" href={`/instances?q=${encodeURIComponent(`backfill:${backfill.id}`)}`}>
              {t("backfill.instances")}
            </Link>
          )}
        </div>
      </header>
      {writing(backfill) ? <Unreal backfill={backfill} /> : <Real backfill={backfill} />}
      {open === "change" && <ChangeDialog backfill={backfill} onClose={() => choose(null)} />}
      {open !== undefined && open !== "change" && <ActDialog backfill={backfill} what={open} onClose={() => choose(null)} />}
    </>
  );
}

/** Unreal is a backfill whose instances are being written or taken away: how far that is. None of them is real. */
function Unreal({ backfill }: { backfill: Backfill }) {
  const t = useT();
  const words = writtenWords(backfill, t);
  return (
    <>
      <section className="card stack">
        <div className="row">
          <h2 className="grow">{t("backfill.progress")}</h2>
          <span className="number">{words}</span>
        </div>
        <Written backfill={backfill} label={words} />
        <p className="soft">{t(backfill.state === "applying" ? "backfill.applies" : "backfill.withdraws")}</p>
      </section>
      <Facts backfill={backfill} />
    </>
  );
}

/** Real is a backfill whose instances are written: how far they are, day by day, and what of them asks for somebody. */
function Real({ backfill }: { backfill: Backfill }) {
  const t = useT();
  const days = useQuery(daysQuery(backfill.id));
  const over = backfill.endedAt !== undefined;
  return (
    <>
      <section className="card stack">
        <div className="row">
          <h2>{t("backfill.progress")}</h2>
          <span className="grow" />
          <span className="number" role="status">
            {t("backfill.done", { n: backfill.done, of: backfill.total })}
          </span>
          <span className="soft">{leftWords(backfill, t)}</span>
        </div>
        <Bar counts={backfill.instances} total={backfill.total} label={t("backfill.done", { n: backfill.done, of: backfill.total })} />
        <ul className="row counted">
          {order
            .filter((state) => backfill.instances[state] > 0)
            .map((state) => (
              <li key={state}>
                <Link href={`/instances?q=${encodeURIComponent(`backfill:${backfill.id} state:${state}`)}`}>
                  <StateMark state={state} /> <span className="number">{backfill.instances[state]}</span>
                </Link>
              </li>
            ))}
        </ul>
        {backfill.holding !== undefined && <p className="notice">{t("backfill.holding", { why: backfill.holding })}</p>}
        <Loaded query={days}>{(data) => <Strip id={backfill.id} days={data.days} />}</Loaded>
      </section>
      <div className="grid">
        <div className="stack">
          {!over && <Blocked backfill={backfill} days={days.data?.days ?? []} />}
          <Held backfill={backfill} states="failed,lost,cancelled" title={t("backfill.failures")} none={t("backfill.failuresNone")} />
        </div>
        <div className="stack">
          {!over && <Held backfill={backfill} states="running" title={t("home.running")} none={t("home.runningNone")} />}
          <Facts backfill={backfill} />
        </div>
      </div>
    </>
  );
}

/** Held lists some of the instances in some states. What is in none of them is not asked for. */
function Held(props: { backfill: Backfill; states: string; title: string; none: string }) {
  const t = useT();
  const { backfill, states } = props;
  const n = states.split(",").reduce((sum, state) => sum + (backfill.instances[state as keyof Backfill["instances"]] ?? 0), 0);
  const selector = `backfill:${backfill.id} state:${states}`;
  const query = useQuery({ ...heldQuery(selector, 12), enabled: n > 0 });
  return (
    <section className="card">
      <h2>{props.title}</h2>
      {n === 0 ? (
        <p className="soft">{props.none}</p>
      ) : (
        <Loaded query={query}>
          {({ items }) => (
            <>
              <table>
                <tbody>
                  {(items ?? []).map((one) => (
                    <tr key={one.id}>
                      <td>
                        <StateMark state={one.state} />
                      </td>
                      <td>
                        <Link href={`/instances/${one.id}`}>
                          {one.workflow}/{one.job} <span className="number">{clock(one.planTime)}</span>
                        </Link>
                      </td>
                      <td className="soft">{one.reason.text}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {n > (items ?? []).length && (
                <p>
                  <Link href={`/instances?q=${encodeURIComponent(selector)}`}>{t("operations.more", { n: n - (items ?? []).length })}</Link>
                </p>
              )}
            </>
          )}
        </Loaded>
      )}
    </section>
  );
}

function Facts({ backfill }: { backfill: Backfill }) {
  const t = useT();
  const lane = laneWords(backfill, t);
  return (
    <section className="card">
      <h2>{t("instance.details")}</h2>
      <dl className="facts">
        <dt>{t("wizard.days")}</dt>
        <dd className="number">{dayRange(backfill)}</dd>
        <dt>{t("column.reason")}</dt>
        <dd>{backfill.reason.text}</dd>
        <dt>{t("wizard.lane")}</dt>
        <dd>{lane.length === 0 ? t("backfill.laneUsual") : lane.join(" · ")}</dd>
        <dt>{t("column.actor")}</dt>
        <dd>
          {backfill.actor} <span className="soft number">{stamp(backfill.createdAt)}</span>
        </dd>
        {backfill.endedAt !== undefined && (
          <>
            <dt>{t("instance.ended")}</dt>
            <dd className="number">{stamp(backfill.endedAt)}</dd>
          </>
        )}
        <dt>{t("wizard.jobs")}</dt>
        <dd>
          <ul>
            {backfill.jobs.slice(0, 50).map((job) => (
              <li key={`${job.workflow}/${job.job}`}>
                <Link href={`/jobs/${encodeURIComponent(job.workflow)}/${encodeURIComponent(job.job)}`}>
                  {job.workflow}/{job.job}
                </Link>{" "}
                <span className="soft number">{job.instances}</span>
              </li>
            ))}
            {backfill.jobs.length > 50 && <li className="soft">{t("operations.more", { n: backfill.jobs.length - 50 })}</li>}
          </ul>
        </dd>
      </dl>
    </section>
  );
}
