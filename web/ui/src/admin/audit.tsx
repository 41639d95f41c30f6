import { useInfiniteQuery } from "@tanstack/react-query";
import { type FormEvent, useCallback, useEffect, useMemo, useState } from "react";
import type { Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { Rows } from "../parts/rows";
import { stamp } from "../parts/time";
import { Chain } from "./chain";
import { type AuditFilter, auditQuery } from "./queries";

type Line = Schemas["AuditLine"];

/** The actions that people look for; whatever stands in a line can be typed. */
const actions = [
  "trigger",
  "rerun",
  "cancel",
  "confirm",
  "force",
  "skip",
  "freeze",
  "unfreeze",
  "boost",
  "reschedule",
  "pause",
  "resume",
  "detach",
  "run-now",
  "operation",
  "backfill",
  "load",
  "define",
  "token-created",
  "token-revoked",
  "incident-acknowledged",
  "alert-test",
];

const fields = ["actor", "action", "from", "to"] as const;

function filterOf(search: URLSearchParams): AuditFilter {
  return {
    actor: search.get("actor") ?? "",
    action: search.get("action") ?? "",
    from: search.get("from") ?? "",
    to: search.get("to") ?? "",
  };
}

/** hrefOf is what a line is about. */
export function hrefOf(line: Line): string {
  if (line.instance !== undefined) return `/instances/${line.instance}?tab=history`;
  if (line.job !== undefined) return `/jobs/${encodeURIComponent(line.workflow ?? "")}/${encodeURIComponent(line.job)}`;
  if (line.action.startsWith("token-")) return "/admin?tab=tokens";
  if (line.action === "backfill") return "/backfills";
  return "/admin?tab=audit";
}

/** Audit is who did what, newest first, with the state of the chain of hashes that makes it hard to rewrite. */
export function Audit() {
  const t = useT();
  const [search, setSearch] = useAddress();
  const filter = filterOf(search);
  const query = useInfiniteQuery(auditQuery(filter));
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items ?? []) ?? [], [query.data]);
  const lookedTo = query.data?.pages.at(-1)?.lookedTo;
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return (
    <>
      <Filter
        filter={filter}
        onChange={(next) => {
          const chosen: Record<string, string> = { tab: "audit" };
          for (const field of fields) if (next[field] !== "") chosen[field] = next[field];
          setSearch(chosen);
        }}
      />
      <div className="row soft">
        <span role="status">{query.data && t(hasNextPage ? "audit.countMore" : "audit.count", { n: items.length })}</span>
        {hasNextPage && lookedTo !== undefined && (
          <>
            <span>{t("audit.looked", { at: stamp(lookedTo) })}</span>
            <button type="button" onClick={more} disabled={isFetching}>
              {t("audit.further")}
            </button>
          </>
        )}
        <span className="grow" />
        <Chain />
      </div>
      <Loaded query={query}>
        {() =>
          items.length === 0 ? (
            <p className="card">{t("audit.none")}</p>
          ) : (
            <Rows
              className="audit"
              label={t("audit.list")}
              head={
                <>
                  <span>{t("column.at")}</span>
                  <span>{t("audit.who")}</span>
                  <span>{t("audit.did")}</span>
                  <span>{t("audit.target")}</span>
                  <span>{t("audit.words")}</span>
                </>
              }
              items={items}
              keyOf={(line) => line.id}
              hrefOf={hrefOf}
              onEnd={more}
            >
              {(line) => (
                <>
                  <span className="number">{stamp(line.at)}</span>
                  <span>{line.actor ?? <span className="soft">{t("deed.server")}</span>}</span>
                  <span className="mono">{line.action}</span>
                  <span className="about" title={nameOf(line)}>
                    {nameOf(line)}
                  </span>
                  <span className="soft why" title={line.text}>
                    {line.text}
                  </span>
                </>
              )}
            </Rows>
          )
        }
      </Loaded>
    </>
  );
}

/** nameOf is what a line is about. */
function nameOf(line: Line): string {
  return line.name ?? (line.job === undefined ? "" : `${line.workflow}/${line.job}`);
}

function Filter({ filter, onChange }: { filter: AuditFilter; onChange: (next: AuditFilter) => void }) {
  const t = useT();
  const [typed, setTyped] = useState(filter.actor);
  useEffect(() => setTyped(filter.actor), [filter.actor]);
  const days = (which: "from" | "to") => (
    <label className="row">
      {t(`audit.${which}`)}
      <input type="date" value={filter[which]} onChange={(event) => onChange({ ...filter, actor: typed, [which]: event.target.value })} />
    </label>
  );
  return (
    <search>
      <form
        className="row"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          onChange({ ...filter, actor: typed.trim() });
        }}
      >
        <label className="row">
          {t("audit.who")}
          <input
            type="search"
            data-search
            maxLength={100}
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <label className="row">
          {t("audit.action")}
          <select value={filter.action} onChange={(event) => onChange({ ...filter, actor: typed, action: event.target.value })}>
            <option value="">{t("audit.any")}</option>
            {(filter.action === "" || actions.includes(filter.action) ? actions : [filter.action, ...actions]).map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        {days("from")}
        {days("to")}
        <button type="submit">{t("audit.filter")}</button>
      </form>
    </search>
  );
}
