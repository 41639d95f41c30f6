import { useSyncExternalStore } from "react";
import { Link } from "wouter";
import { useT } from "../i18n/language";

/** A Toast is a message about what was just done, with a way back or on. */
export interface Toast {
  text: string;
  bad?: boolean;
  undo?: () => void;
  href?: string;
}

const shownFor = 8_000;

let toasts: (Toast & { id: number })[] = [];
let next = 1;
const listeners = new Set<() => void>();

function set(list: typeof toasts): void {
  toasts = list;
  for (const listener of listeners) listener();
}

export function toast(one: Toast): void {
  const id = next++;
  set([...toasts.slice(-3), { ...one, id }]);
  setTimeout(() => dismiss(id), shownFor);
}

function dismiss(id: number): void {
  set(toasts.filter((one) => one.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const t = useT();
  const list = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className="toasts" aria-label={t("toast.label")} aria-live="polite">
      {list.map((one) => (
        <div key={one.id} className={one.bad ? "toast bad" : "toast"}>
          <span className="grow">{one.text}</span>
          {one.undo && (
            <button
              type="button"
              onClick={() => {
                one.undo?.();
                dismiss(one.id);
              }}
            >
              {t("undo")}
            </button>
          )}
          {one.href !== undefined && <Link href={one.href}>{t("show")}</Link>}
          <button type="button" className="plain" aria-label={t("toast.dismiss")} onClick={() => dismiss(one.id)}>
            ✕
          </button>
        </div>
      ))}
    </section>
  );
}
