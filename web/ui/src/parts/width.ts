import { useCallback, useState } from "react";

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
