import { MutationCache, QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { Unreachable } from "../api/client";
import { Live } from "../api/live";
import { statusQuery } from "../api/queries";
import { demanded, onToken } from "../api/token";
import { LanguageProvider, useT } from "../i18n/language";
import { pages } from "../pages";
import { Boundary } from "../parts/boundary";
import { Header } from "./header";
import { Help } from "./help";
import { useKeys } from "./keys";
import { Login } from "./login";
import { Palette } from "./palette";
import { Toasts, toast } from "./toasts";

const client = new QueryClient({
  defaultOptions: {
    // The server may be this very machine, without any network: whether it answers is found out by asking it.
    queries: { networkMode: "always", staleTime: 1_000, retry: (failures, error) => error instanceof Unreachable && failures < 1 },
    mutations: { networkMode: "always" },
  },
  mutationCache: new MutationCache({ onError: (error) => toast({ text: error.message, bad: true }) }),
});
const live = new Live(client);

export function App() {
  return (
    <QueryClientProvider client={client}>
      <LanguageProvider>
        <Shell />
      </LanguageProvider>
    </QueryClientProvider>
  );
}

function Shell() {
  const t = useT();
  const [place] = useLocation();
  const [open, setOpen] = useState<"palette" | "help" | null>(null);
  const demand = useSyncExternalStore(onToken, demanded);
  const link = useSyncExternalStore(live.subscribe, () => live.link);
  const main = useRef<HTMLElement>(null);
  useEffect(() => live.start(), []);
  // The event of a dialog's end may come when the next one is open already.
  const close = (what: "palette" | "help") => setOpen((now) => (now === what ? null : now));
  useKeys(setOpen);

  // A reader of the screen is told of a new page, and goes on from its beginning; the first page is told by the browser.
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    main.current?.focus({ preventScroll: true });
    main.current?.scrollTo(0, 0);
  }, [place]);

  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t("app.skip")}
      </a>
      <Header link={link} onFind={() => setOpen("palette")} onHelp={() => setOpen("help")} />
      <Nav place={place} />
      <main className="main" id="main" ref={main} tabIndex={-1}>
        <Banners gone={link === "gone"} />
        <Boundary words={t("error.crash")} reset={place}>
          <Suspense fallback={<p className="page soft">{t("page.loading")}</p>}>
            <Switch>
              {pages.map((page) => (
                <Route key={page.path} path={page.path}>
                  <Titled title={t(page.title)}>
                    <div className={page.full ? "page full" : "page"}>
                      <page.component />
                    </div>
                  </Titled>
                </Route>
              ))}
              <Route>
                <div className="page">
                  <h1>{t("error.notFound")}</h1>
                  <Link href="/">{t("error.home")}</Link>
                </div>
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </main>
      <Toasts />
      {open === "palette" && <Palette onClose={() => close("palette")} onHelp={() => setOpen("help")} />}
      {open === "help" && <Help onClose={() => close("help")} />}
      {demand !== null && <Login demand={demand} />}
    </div>
  );
}

function Titled({ title, children }: { title: string; children: React.ReactNode }) {
  const t = useT();
  useEffect(() => {
    document.title = `${title} · ${t("app.name")}`;
  }, [title, t]);
  return children;
}

function Nav({ place }: { place: string }) {
  const t = useT();
  return (
    <nav className="nav" aria-label={t("nav.label")}>
      {pages.map(
        (page) =>
          page.nav && (
            <Link
              key={page.path}
              href={page.path}
              aria-label={t(page.title)}
              aria-current={(page.path === "/" ? place === "/" : place.startsWith(page.path)) ? "page" : undefined}
            >
              <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
                <path d={page.nav.icon} fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
              </svg>
              <span>{t(page.title)}</span>
            </Link>
          ),
      )}
    </nav>
  );
}

/** Banners say what concerns every page: the server does not answer, or answers and does not do its work. */
function Banners({ gone }: { gone: boolean }) {
  const t = useT();
  const status = useQuery(statusQuery);
  if (gone) {
    return (
      <div className="banner" role="alert">
        {t("banner.gone")}
      </div>
    );
  }
  if (status.data?.ready === false) {
    return (
      <div className="banner" role="alert">
        {t("banner.notReady", { why: status.data.notReady ?? "" })}
      </div>
    );
  }
  return null;
}
