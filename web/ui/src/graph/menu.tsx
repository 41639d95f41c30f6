import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from "react";
import { useT } from "../i18n/language";

export interface Entry {
  text: string;
  run: () => void;
}

/** The Menu is what can be done with a node, where the pointer or the node is. It takes the focus, and gives it back. */
export function Menu(props: { name: string; x: number; y: number; entries: Entry[]; onClose: () => void }) {
  const { name, x, y, entries, onClose } = props;
  const t = useT();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    place.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  // What would hang out of the window is moved into it.
  useLayoutEffect(() => {
    const menu = place.current;
    if (!menu) return;
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 8))}px`;
  });
  useEffect(() => {
    const away = (event: PointerEvent) => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) onClose();
    };
    addEventListener("pointerdown", away, true);
    return () => removeEventListener("pointerdown", away, true);
  }, [onClose]);
  const key = (event: KeyboardEvent) => {
    const items = [...(place.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === "ArrowDown") items[(at + 1) % items.length]?.focus();
    else if (event.key === "ArrowUp") items[(at - 1 + items.length) % items.length]?.focus();
    else if (event.key === "Home") items[0]?.focus();
    else if (event.key === "End") items.at(-1)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={place} className="node-menu" role="menu" tabIndex={-1} aria-label={t("graph.menu", { name })} onKeyDown={key}>
      {entries.map((entry) => (
        <button
          type="button"
          role="menuitem"
          tabIndex={-1}
          key={entry.text}
          onClick={() => {
            onClose();
            entry.run();
          }}
        >
          {entry.text}
        </button>
      ))}
    </div>
  );
}
