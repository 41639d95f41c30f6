import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { useNarrow } from "./width";

/** Rows is a list of which only what is in sight is in the document. Arrows move, Enter opens; onEnd is told when the end comes into sight. */
export function Rows<T>(props: {
  label: string;
  className?: string;
  head: ReactNode;
  items: T[];
  keyOf: (item: T) => string;
  hrefOf: (item: T) => string;
  children: (item: T) => ReactNode;
  onEnd?: () => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState(0);
  const { items, onEnd } = props;
  const narrow = useNarrow(); // there a line is as high as what it says
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    estimateSize: () => (narrow ? 66 : 36),
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: in a window of another width every line is measured anew
  useEffect(() => virtual.measure(), [virtual, narrow]);
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  const atEnd = items.length > 0 && last >= items.length - 20;
  useEffect(() => {
    if (atEnd) onEnd?.();
  }, [atEnd, onEnd]);
  const at = Math.min(marked, Math.max(0, items.length - 1));

  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -items.length, End: items.length };
    const step = steps[event.key];
    if (step === undefined || items.length === 0) return;
    event.preventDefault();
    const next = Math.min(items.length - 1, Math.max(0, at + step));
    setMarked(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus({ preventScroll: true }));
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: what is out of sight is not in the document, so no table holds it
    <div className={`rows ${props.className ?? ""}`} ref={place} role="region" aria-label={props.label} onKeyDown={move}>
      <div className="head" aria-hidden="true">
        {props.head}
      </div>
      <div className="inner" ref={(inner) => inner?.style.setProperty("height", `${virtual.getTotalSize()}px`)}>
        {shown.map((row) => {
          const item = items[row.index];
          if (item === undefined) return null;
          return (
            <Link
              key={props.keyOf(item)}
              href={props.hrefOf(item)}
              className={row.index === at ? "line marked" : "line"}
              data-index={row.index}
              ref={narrow ? virtual.measureElement : undefined}
              tabIndex={row.index === at ? 0 : -1}
              onFocus={() => setMarked(row.index)}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {props.children(item)}
            </Link>
          );
        })}
      </div>
    </div>
  );
}
