import type { KeyboardEvent, ReactNode } from "react";

/** Tabs are the tabs of a page: arrows move between them, and the panel that the page shows under them has the id "panel". */
export function Tabs<T extends string>(props: {
  label: string;
  tabs: readonly T[];
  chosen: T;
  onChoose: (tab: T) => void;
  word: (tab: T) => string;
  beside?: (tab: T) => ReactNode; // such as how many there are
}) {
  const { tabs, chosen, onChoose } = props;
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={props.label} onKeyDown={move}>
      {tabs.map((one) => (
        <button
          type="button"
          role="tab"
          key={one}
          id={`tab-${one}`}
          aria-selected={one === chosen}
          aria-controls="panel"
          tabIndex={one === chosen ? 0 : -1}
          onClick={() => onChoose(one)}
        >
          {props.word(one)}
          {props.beside?.(one)}
        </button>
      ))}
    </div>
  );
}
