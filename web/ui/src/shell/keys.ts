import { useEffect } from "react";
import { useLocation } from "wouter";
import { pages } from "../pages";

/** useKeys listens to the keys that work everywhere. Letters are not taken while somebody types, nor while a dialog is open. */
export function useKeys(open: (what: "palette" | "help" | null) => void): void {
  const [, go] = useLocation();
  useEffect(() => {
    let going = Number.NEGATIVE_INFINITY; // when g was pressed
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        if (document.querySelector("dialog[open]") === null) open("palette");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]") !== null) return;
      if (event.timeStamp - going < 1_500) {
        going = Number.NEGATIVE_INFINITY;
        const page = pages.find((one) => one.nav?.key === event.key);
        if (page) {
          event.preventDefault();
          go(page.path);
          return;
        }
      }
      if (event.key === "g") going = event.timeStamp;
      else if (event.key === "?") open("help");
      else if (event.key === "/") {
        event.preventDefault();
        const search = document.querySelector<HTMLInputElement>("[data-search]");
        if (search) search.focus();
        else open("palette");
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [open, go]);
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}
