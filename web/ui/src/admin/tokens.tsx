import { useInfiniteQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Act } from "../parts/act";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { stamp } from "../parts/time";
import { NewToken } from "./newtoken";
import { tokensQuery } from "./queries";
import { Revoke } from "./revoke";
import { roleName } from "./rolename";

/** Tokens lists who is let in, by name, and makes and revokes tokens. The open dialog is in the address. */
export function Tokens() {
  const t = useT();
  const query = useInfiniteQuery(tokensQuery);
  const [search, setSearch] = useAddress();
  const open = (what: string | null) => setSearch(what === null ? { tab: "tokens" } : { tab: "tokens", do: what }, { replace: true });
  const asked = search.get("do") ?? "";
  return (
    <section className="card stack">
      <div className="row">
        <p className="grow">{t("tokens.words")}</p>
        <Act needs="admin" className="primary" onClick={() => open("new")}>
          {t("tokens.new")}
        </Act>
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const items = pages
            .flatMap((page) => page.items ?? [])
            .sort((a, b) => a.name.localeCompare(b.name) || Number(a.id) - Number(b.id));
          const revoked = items.find((one) => asked === `revoke-${one.id}`);
          return (
            <>
              <Table items={items} onRevoke={(one) => open(`revoke-${one.id}`)} />
              {query.hasNextPage && (
                <button type="button" onClick={() => void query.fetchNextPage()}>
                  {t("tokens.more")}
                </button>
              )}
              {revoked && <Revoke token={revoked} onClose={() => open(null)} />}
            </>
          );
        }}
      </Loaded>
      {asked === "new" && <NewToken onClose={() => open(null)} />}
    </section>
  );
}

function Table({ items, onRevoke }: { items: Schemas["APIToken"][]; onRevoke: (one: Schemas["APIToken"]) => void }) {
  const t = useT();
  if (items.length === 0) return <p className="soft">{t("tokens.none")}</p>;
  const names = new Set(items.map((one) => one.name)).size;
  return (
    <>
      <p className="soft small" role="status">
        {t("tokens.count", { n: items.length, names })}
      </p>
      <table className="middle">
        <thead>
          <tr>
            <th scope="col">{t("tokens.name")}</th>
            <th scope="col">{t("tokens.role")}</th>
            <th scope="col">{t("column.id")}</th>
            <th scope="col">{t("tokens.created")}</th>
            <th scope="col">{t("tokens.expires")}</th>
            <th scope="col">
              <span className="hidden">{t("tokens.revoke")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((one, at) => (
            <tr key={one.id}>
              <td>
                {items[at - 1]?.name === one.name ? <span className="soft">{one.name}</span> : <strong>{one.name}</strong>}{" "}
                {one.yours && <span className="tag">{t("tokens.yours")}</span>}
              </td>
              <td>{roleName(one.role, t)}</td>
              <td className="number">{one.id}</td>
              <td className="number tight">{stamp(one.createdAt)}</td>
              <td className="number tight">
                {one.expired ? (
                  <span className="failed">
                    {t("tokens.expired")} {stamp(one.expiresAt)}
                  </span>
                ) : (
                  stamp(one.expiresAt) || t("tokens.never")
                )}
              </td>
              <td className="end">
                <Act needs="admin" className="plain" onClick={() => onRevoke(one)}>
                  {t("tokens.revoke")}
                  <span className="hidden">
                    {one.name} {one.id}
                  </span>
                </Act>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
