import { useQuery } from "@tanstack/react-query";
import { useAddress } from "../parts/address";
import "./admin.css";
import { useT } from "../i18n/language";
import { Tabs } from "../parts/tabs";
import { stamp } from "../parts/time";
import { Audit } from "./audit";
import { Health } from "./health";
import { whoQuery } from "./queries";
import { roleName } from "./rolename";
import { Sinks } from "./sinks";
import { Storage } from "./storage";
import { Tokens } from "./tokens";
import { Workers } from "./workers";

const tabs = ["tokens", "audit", "workers", "health", "storage", "sinks"] as const;
type Tab = (typeof tabs)[number];

const panels: Record<Tab, () => React.ReactNode> = {
  tokens: Tokens,
  audit: Audit,
  workers: Workers,
  health: Health,
  storage: Storage,
  sinks: Sinks,
};

/** AdminPage is who may do what, what was done, and how the server is. */
export default function AdminPage() {
  const t = useT();
  const who = useQuery(whoQuery);
  const [search, setSearch] = useAddress();
  const asked = search.get("tab");
  const tab = tabs.find((one) => one === asked) ?? "tokens";
  const Panel = panels[tab];
  return (
    <>
      <div className="row">
        <h1 className="grow">{t("admin.title")}</h1>
        {who.data && (
          <span className="soft">
            {t(who.data.expiresAt === undefined ? "admin.you" : "admin.youUntil", {
              name: who.data.name,
              role: roleName(who.data.role, t),
              at: stamp(who.data.expiresAt),
            })}
          </span>
        )}
      </div>
      <Tabs
        label={t("admin.tabs")}
        tabs={tabs}
        chosen={tab}
        onChoose={(next) => setSearch({ tab: next }, { replace: true })}
        word={(one) => t(`admin.${one}`)}
      />
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="tab-panel">
        <Panel />
      </div>
    </>
  );
}
