import { Link } from "wouter";
import type { Link as LinkState } from "../api/live";
import { leave, token } from "../api/token";
import { useLanguage } from "../i18n/language";
import { useTheme } from "./theme";

const colours: Record<LinkState, string> = { connecting: "waiting", stream: "succeeded", polling: "succeeded", gone: "failed" };

export function Header({ link, onFind, onHelp }: { link: LinkState; onFind: () => void; onHelp: () => void }) {
  const { t, language, choose } = useLanguage();
  const [theme, nextTheme] = useTheme();
  return (
    <header className="header">
      <Link href="/" className="brand" aria-label={t("app.name")}>
        <img src="/favicon.svg" width="24" height="24" alt="" />
        <span>{t("app.name")}</span>
      </Link>
      <button type="button" className="find" onClick={onFind}>
        {t("header.search")}
        <kbd className="key">Ctrl K</kbd>
      </button>
      <span className="grow" />
      <span className={`link ${colours[link]}`} role="status">
        <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="8" r="4" fill={link === "gone" ? "none" : "currentColor"} stroke="currentColor" strokeWidth="2" />
        </svg>
        <span>{t(`link.${link}`)}</span>
      </span>
      <button
        type="button"
        className="plain"
        onClick={() => choose(language === "en" ? "zh" : "en")}
        lang={language === "en" ? "zh" : "en"}
      >
        {t("header.language")}
      </button>
      <button type="button" className="plain" onClick={nextTheme} aria-label={t("header.theme", { theme: t(`theme.${theme}`) })}>
        <Icon path="M8 4.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8zM8 1v1.4M8 13.6V15M1 8h1.4M13.6 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1" />
        <span className="theme">{t(`theme.${theme}`)}</span>
      </button>
      <button type="button" className="plain" onClick={onHelp} aria-label={t("header.help")}>
        ?
      </button>
      {token() !== "" && (
        <button type="button" className="plain" onClick={leave} aria-label={t("header.leave")}>
          <Icon path="M6 2.4H2.6v11.2H6M10 4.6 13.4 8 10 11.4M13 8H6" />
        </button>
      )}
    </header>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
