import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { code } from "../parts/code";
import { en, type Key } from "./en";

export type Language = "en" | "zh";
export type Values = Record<string, string | number>;
export type Translate = (key: Key, values?: Values) => string;

/** The catalogues that were loaded. English is there from the start: its keys are the type of all. */
const catalogues: Partial<Record<Language, Record<Key, string>>> = { en };
const place = "almanac.language";

/** translate fills the values into a text of the catalogue; what has no value stays as it is written. "{n:day|days}" is the first of the two when n is 1. */
export function translate(language: Language, key: Key, values?: Values): string {
  return (catalogues[language] ?? en)[key]
    .replace(/\{(\w+):([^|}]*)\|([^}]*)\}/g, (_, name: string, one: string, more: string) => (String(values?.[name]) === "1" ? one : more))
    .replace(/\{(\w+)\}/g, (whole, name: string) => String(values?.[name] ?? whole));
}

/** known reports whether a key that was put together, such as that of a state, is in the catalogue: a later server may say a new word. */
export function known(key: string): key is Key {
  return Object.hasOwn(en, key);
}

const Context = createContext<{ language: Language; choose: (language: Language) => void; t: Translate }>({
  language: "en",
  choose: () => undefined,
  t: (key, values) => translate("en", key, values),
});

/** load fetches the catalogue of a language, once. */
export async function load(language: Language): Promise<void> {
  if (language === "zh") catalogues.zh = (await code(() => import("./zh"))).zh;
}

export function preferred(): Language {
  const chosen = localStorage.getItem(place);
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(preferred);
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  }, [language]);
  const value = useMemo(
    () => ({
      language,
      choose: (next: Language) => {
        localStorage.setItem(place, next);
        load(next).then(
          () => setLanguage(next),
          () => undefined,
        ); // a server that is gone has said so already
      },
      t: (key: Key, values?: Values) => translate(language, key, values),
    }),
    [language],
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export function useLanguage() {
  return useContext(Context);
}

export function useT(): Translate {
  return useContext(Context).t;
}
