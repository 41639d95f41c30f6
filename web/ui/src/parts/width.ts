import { useCallback, useState, useSyncExternalStore } from "react";

/** useWidth is how wide an element is, in pixels, as it becomes wider and narrower; 0 until it stands. */
export function useWidth(): [(element: Element | null) => (() => void) | undefined, number] {
  const [width, setWidth] = useState(0);
  const place = useCallback((element: Element | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}

const narrow = () => matchMedia("(max-width: 600px)");

/** useNarrow reports whether the window is as narrow as that of a phone, by the measure of the style sheets. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = narrow();
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    () => narrow().matches,
  );
}
