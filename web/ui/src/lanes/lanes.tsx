import "./lanes.css";
import { type ReactNode, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import { useT } from "../i18n/language";
import type { Edge, Frame, LanesData, Spot } from "./model";
import { type LaneOptions, LaneView } from "./view";

/** What a page can ask of the lanes beside their properties. */
export interface LanesHandle {
  zoom: (by: number) => void; // 0 shows the whole window
  show: (bar: number) => void; // moves the cursor there
  focus: () => void;
  edgesOf: (bar: number) => Edge[];
}

export interface LanesProps {
  label: string; // the accessible name
  data: LanesData; // a new value draws anew: keep it while nothing has changed
  now?: number;
  options?: LaneOptions; // keep it too
  folded?: ReadonlySet<string>; // the groups whose lanes are not shown
  selected?: number; // the number of a bar
  frame?: Frame; // to begin with
  describe: (spot: Spot) => string; // what is told of the spot that has the cursor, as one sentence
  tooltip?: (spot: Spot) => ReactNode; // what is shown at the pointer
  onSelect?: (bar: number) => void;
  onOpen?: (spot: Spot) => void;
  onFold?: (group: string, folded: boolean) => void;
  onFrame?: (frame: Frame) => void;
  onDrag?: (bar: number, from: number, to: number, done: boolean) => void; // not done: while it is held. Put the bar where it is dragged by new data.
  handle?: React.Ref<LanesHandle>;
}

/**
 * Lanes are a LaneView with what people need who do not see it. A canvas has no parts that a screen reader could go to, and a grid of ten thousand cells of which
 * none is in the document would promise what it does not keep. So it is an application, to which all keys go, and each move of the cursor is told by a
 * live region. A page with lanes links to the list of the same instances too.
 */
export function Lanes(props: LanesProps) {
  const t = useT();
  const { data, now = 0, options, folded, selected, describe } = props;
  const place = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<LaneView>(null);
  const begin = useRef(props.frame);
  const [told, setTold] = useState("");
  const [hover, setHover] = useState<{ spot: Spot; x: number; y: number } | null>(null);

  useLayoutEffect(() => {
    if (!place.current || !inner.current || !canvas.current) return;
    const made = new LaneView(place.current, inner.current, canvas.current);
    view.current = made;
    return () => {
      made.end();
      view.current = null;
    };
  }, []);
  useLayoutEffect(() => view.current?.setOptions(options ?? {}), [options]);
  useLayoutEffect(() => {
    view.current?.setData(data);
    if (begin.current) view.current?.setFrame(begin.current);
    begin.current = undefined;
  }, [data]);
  useLayoutEffect(() => view.current?.setFolded(folded ?? new Set()), [folded]);
  useLayoutEffect(() => view.current?.setSelected(selected ?? -1), [selected]);
  useLayoutEffect(() => view.current?.setNow(now), [now]);
  useEffect(() => {
    if (!view.current) return;
    view.current.events = {
      cursor: (spot) => setTold(describe(spot)),
      hover: (spot, x, y) => setHover(spot.kind === "none" ? null : { spot, x, y }),
      select: props.onSelect,
      open: props.onOpen,
      fold: props.onFold,
      frame: props.onFrame,
      drag: props.onDrag,
    };
  });
  useImperativeHandle(props.handle, () => ({
    zoom: (by) => view.current?.zoom(by),
    show: (bar) => view.current?.show(bar),
    focus: () => place.current?.focus(),
    edgesOf: (bar) => view.current?.edgesOf(bar) ?? [],
  }));

  const shown = hover && props.tooltip?.(hover.spot);
  return (
    <div className="lanes">
      <div
        className="scroll"
        ref={place}
        role="application"
        aria-label={props.label}
        aria-roledescription={t("lanes.role")}
        aria-describedby="lanes-keys"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the keys
        tabIndex={0}
      >
        <div className="inner" ref={inner}>
          <canvas ref={canvas} />
        </div>
      </div>
      <p className="hidden" id="lanes-keys">
        {t("lanes.keys")}
      </p>
      <p className="hidden" aria-live="polite">
        {told}
      </p>
      {hover && shown && (
        <div className="tip" aria-hidden="true" ref={(tip) => put(tip, hover.x, hover.y)}>
          {shown}
        </div>
      )}
    </div>
  );
}

/** put puts a tooltip beside the pointer, inside of its parent. */
function put(tip: HTMLDivElement | null, x: number, y: number): void {
  const room = tip?.parentElement;
  if (!tip || !room) return;
  const left = x + 14 + tip.offsetWidth > room.clientWidth ? x - 14 - tip.offsetWidth : x + 14;
  const top = y + 16 + tip.offsetHeight > room.clientHeight ? y - 10 - tip.offsetHeight : y + 16;
  tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
}
