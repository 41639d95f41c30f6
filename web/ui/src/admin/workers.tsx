import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { Glyph } from "../design/state";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { stamp } from "../parts/time";
import { Meter } from "./meter";
import { workersQuery } from "./queries";

/** Workers is the servers on these rows, the pools, and what runs. */
export function Workers() {
  const query = useQuery(workersQuery);
  return (
    <Loaded query={query}>
      {(data) => (
        <>
          <div className="grid">
            <Servers servers={data.servers ?? []} />
            <Pools pools={data.pools ?? []} />
          </div>
          <Attempts attempts={data.attempts ?? []} more={data.more} />
        </>
      )}
    </Loaded>
  );
}

function Servers({ servers }: { servers: Schemas["Worker"][] }) {
  const t = useT();
  return (
    <section className="card">
      <h2>{t("workers.servers")}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("workers.server")}</th>
            <th scope="col">{t("column.state")}</th>
            <th scope="col">{t("workers.slots")}</th>
            <th scope="col">{t("workers.lease")}</th>
          </tr>
        </thead>
        <tbody>
          {servers.map((one) => (
            <tr key={one.name}>
              <td className="tight">
                {one.name} {one.this && <span className="tag">{t("workers.this")}</span>}
              </td>
              <td>
                <span className={`state ${one.alive ? "succeeded" : "cancelled"}`}>
                  <Glyph state={one.alive ? "succeeded" : "cancelled"} />
                  {t(one.alive ? "workers.alive" : "workers.ended")}
                </span>
              </td>
              <td>
                {one.slots === undefined ? (
                  <span className="number">{one.used}</span>
                ) : (
                  <Meter part={one.used} whole={one.slots} words={t("workers.of", { used: one.used, size: one.slots })} />
                )}
              </td>
              <td className="number">{stamp(one.leaseUntil)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Pools({ pools }: { pools: Schemas["WorkerPool"][] }) {
  const t = useT();
  return (
    <section className="card">
      <h2>{t("workers.pools")}</h2>
      {pools.length === 0 ? (
        <p className="soft">{t("workers.poolsNone")}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t("workers.pool")}</th>
              <th scope="col">{t("workers.slots")}</th>
            </tr>
          </thead>
          <tbody>
            {pools.map((one) => (
              <tr key={one.name}>
                <td>{one.name === "" ? <span className="soft">{t("workers.poolNone")}</span> : one.name}</td>
                <td>
                  {one.size === undefined ? (
                    <span className="number">{t("workers.unlimited", { used: one.used })}</span>
                  ) : (
                    <Meter part={one.used} whole={one.size} words={t("workers.of", { used: one.used, size: one.size })} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Attempts({ attempts, more }: { attempts: Schemas["Running"][]; more: number }) {
  const t = useT();
  return (
    <section className="card">
      <h2>{t("workers.attempts")}</h2>
      {attempts.length === 0 ? (
        <p className="soft">{t("workers.attemptsNone")}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t("column.job")}</th>
              <th scope="col">{t("workers.step")}</th>
              <th scope="col" className="end">
                {t("workers.attempt")}
              </th>
              <th scope="col">{t("workers.server")}</th>
              <th scope="col">{t("workers.pool")}</th>
              <th scope="col">{t("workers.since")}</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((one) => (
              <tr key={one.id}>
                <td>
                  <Link href={`/instances/${one.instance}?tab=log&attempt=${one.id}`}>{one.name ?? one.instance}</Link>
                </td>
                <td>{one.step}</td>
                <td className="number end">{one.number}</td>
                <td>{one.server}</td>
                <td>{one.pool}</td>
                <td className="number tight">{stamp(one.startedAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more > 0 && <p className="soft">{t("workers.more", { n: more })}</p>}
    </section>
  );
}
