import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useCallback, useEffect, useMemo, useState } from "react";
import { ApiError } from "../api/client";
import { useStill } from "../api/long";
import { instancesQuery, type State } from "../api/queries";
import { Glyph } from "../design/state";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { Rows } from "../parts/rows";
import { clocks } from "../parts/time";
import { InstanceHead, InstanceLine } from "./line";
import { Marked } from "./marked";

const states: State[] = ["waiting", "running", "lost", "succeeded", "forced", "failed", "skipped", "cancelled"];
const usual = "date:today";

/** InstancesPage lists what a selector chooses. The selector is in the address, so that a link is a search. */
export default function InstancesPage() {
  const t = useT();
  const [search, setSearch] = useAddress();
  const selector = search.get("q")?.trim() || usual;
  const [typed, setTyped] = useState(selector);
  useEffect(() => setTyped(selector), [selector]);
  const query = useInfiniteQuery(instancesQuery(selector));
  const client = useQueryClient();
  const still = useStill(instancesQuery(selector).queryKey);
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items ?? []) ?? [], [query.data]);
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const go = (next: string) => setSearch(next.trim() === usual ? {} : { q: next.trim() });
  const chosen = chosenStates(selector);
  // A selector that chooses nothing is answered by which of its terms left none.
  const none = query.error instanceof ApiError && query.error.problem.status === 404 ? query.error.message : undefined;
  const clock = useMemo(() => clocks(items.map((one) => one.planTime)), [items]);
  return (
    <>
      <h1>{t("instances.title")}</h1>
      <search>
        <form
          className="row"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            go(typed);
          }}
        >
          <label className="row grow">
            <span className="hidden">{t("instances.selector")}</span>
            <input
              className="grow mono"
              type="text"
              data-search
              spellCheck={false}
              value={typed}
              placeholder={t("instances.hint")}
              onChange={(event) => setTyped(event.target.value)}
              aria-describedby="selector-hint"
            />
          </label>
          <button type="submit" className="primary">
            {t("instances.search")}
          </button>
        </form>
      </search>
      {query.error instanceof ApiError && <Marked selector={selector} problem={query.error.problem} />}
      <div className="row">
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form */}
        <div className="row" role="group" aria-label={t("instances.states")}>
          {states.map((state) => (
            <button
              type="button"
              key={state}
              className={state}
              aria-pressed={chosen.includes(state)}
              onClick={() => go(withStates(selector, toggled(chosen, state)))}
            >
              <Glyph state={state} />
              {t(`state.${state}`)}
            </button>
          ))}
        </div>
        <span className="grow" />
        <span className="soft small" id="selector-hint">
          {t("instances.hint")}
        </span>
        {still && (
          <button type="button" onClick={() => void client.resetQueries(instancesQuery(selector))}>
            {t("instances.still")}
          </button>
        )}
        <span className="soft" role="status">
          {query.data && t(hasNextPage ? "instances.countMore" : "instances.count", { n: items.length })}
        </span>
      </div>
      {none !== undefined ? (
        <Nothing words={none} />
      ) : (
        <Loaded query={query}>
          {() =>
            items.length === 0 && !hasNextPage ? (
              <Nothing words={t("instances.noneHint")} />
            ) : (
              <Rows
                label={t("instances.list")}
                head={<InstanceHead />}
                items={items}
                keyOf={(item) => item.id}
                hrefOf={(item) => `/instances/${item.id}`}
                onEnd={more}
              >
                {(item) => <InstanceLine instance={item} clock={clock} />}
              </Rows>
            )
          }
        </Loaded>
      )}
    </>
  );
}

function Nothing({ words }: { words: string }) {
  const t = useT();
  return (
    <div className="card">
      <p>{t("instances.none")}</p>
      <p className="soft">{words}</p>
    </div>
  );
}

const stateTerm = /(^|\s)state:(\S+)/;

function chosenStates(selector: string): string[] {
  return stateTerm.exec(selector)?.[2]?.split(",") ?? [];
}

function toggled(list: string[], state: string): string[] {
  return list.includes(state) ? list.filter((one) => one !== state) : [...list, state];
}

/** withStates is the selector with its term of states replaced. */
function withStates(selector: string, list: string[]): string {
  const rest = selector.replace(stateTerm, "").trim();
  return list.length === 0 ? rest : `${rest} state:${list.join(",")}`;
}
