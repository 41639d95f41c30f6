import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Command } from "../parts/command";
import { Loaded } from "../parts/problem";
import { bytes, span, stamp } from "../parts/time";
import { Meter } from "./meter";
import { healthQuery } from "./queries";
import { whole } from "./whole";

const mostCounted = 100_000; // of what retention may remove
const nearlyFull = 0.95; // then nothing starts any more

/** Storage is how large the rows are, how much room there is, and what retention removes when. */
export function Storage() {
  const query = useQuery(healthQuery);
  return (
    <Loaded query={query}>
      {(data) => (
        <div className="grid">
          <Size health={data} />
          <Retention keeping={data.retention} />
          <Backups at={data.store.backupAt} />
        </div>
      )}
    </Loaded>
  );
}

function Size({ health }: { health: Schemas["Health"] }) {
  const t = useT();
  const { store, disk } = health;
  return (
    <section className="card">
      <h2>{t("storage.rows")}</h2>
      <dl className="facts">
        <dt>{t("storage.database")}</dt>
        <dd className="number">{bytes(store.databaseBytes ?? 0)}</dd>
        <dt>{t("storage.log")}</dt>
        <dd className="number">{bytes(store.logBytes ?? 0)}</dd>
        <dt>{t("storage.history")}</dt>
        <dd>
          <span className="number">{t("storage.lines", { first: store.firstEvent ?? 0, last: store.lastEvent ?? 0 })}</span>
          {store.firstEventAt !== undefined && <div className="soft">{t("storage.since", { at: stamp(whole(store.firstEventAt)) })}</div>}
        </dd>
        {disk !== undefined && (
          <>
            <dt>{t("storage.disk")}</dt>
            <dd>
              <Meter
                part={disk.totalBytes - disk.freeBytes}
                whole={disk.totalBytes}
                high={disk.freeBytes < disk.totalBytes * (1 - nearlyFull)}
                words={t("storage.free", { free: bytes(disk.freeBytes), total: bytes(disk.totalBytes) })}
              />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Retention({ keeping }: { keeping: Schemas["Keeping"] }) {
  const t = useT();
  return (
    <section className="card">
      <h2>{t("storage.retention")}</h2>
      <dl className="facts">
        <dt>{t("storage.keeps")}</dt>
        <dd className="number">{keeping.seconds === undefined ? t("storage.forever") : span(keeping.seconds, t)}</dd>
        <dt>{t("storage.oldest")}</dt>
        <dd className="number">{keeping.oldest === undefined ? t("storage.oldestNone") : stamp(whole(keeping.oldest))}</dd>
        {keeping.goes !== undefined && (
          <>
            <dt>{t("storage.goes")}</dt>
            <dd className="number">{stamp(whole(keeping.goes))}</dd>
            <dt>{t("storage.due")}</dt>
            <dd>{t(keeping.due < mostCounted ? "storage.dueWords" : "storage.dueMost", { n: keeping.due })}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Backups({ at }: { at: string | undefined }) {
  const t = useT();
  return (
    <section className="card stack">
      <h2>{t("storage.backup")}</h2>
      <p className="number">{at === undefined ? t("storage.backupNone") : t("storage.backupAt", { at: stamp(whole(at)) })}</p>
      <p>{t("storage.backupWords")}</p>
      <Command text="almanac backup /backups/almanac-$(date +%F)" />
    </section>
  );
}
