import { useEffect, useState } from "react";

export type Theme = "system" | "light" | "dark";
const place = "almanac.theme";
const order: Theme[] = ["system", "light", "dark"];

function chosen(): Theme {
  const theme = localStorage.getItem(place);
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** useTheme puts the theme onto the document, follows the system's while nothing else is chosen, and goes on to the next. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(chosen);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const put = () => {
      document.documentElement.dataset.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
    };
    put();
    dark.addEventListener("change", put);
    return () => dark.removeEventListener("change", put);
  }, [theme]);
  return [
    theme,
    () => {
      const next = order[(order.indexOf(theme) + 1) % order.length] ?? "system";
      localStorage.setItem(place, next);
      setTheme(next);
    },
  ];
}
