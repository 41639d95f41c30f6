import { useEffect, useMemo, useRef, useState } from "react";
import { useT } from "../i18n/language";
import { draw, type Lane, ownLane } from "./lanes";
import type { Preview } from "./queries";

/** Timeline draws a day: the job's own times above, below them what the chosen instance looks at and waits for. The list beside it says the same in words. */
export function Timeline({ preview, chosen, onChoose }: { preview: Preview; chosen: number; onChoose: (n: number) => void }) {
  const t = useT();
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const observer = new ResizeObserver(() => setWidth(host.clientWidth));
    observer.observe(host);
    return () => observer.disconnect();
  }, []);
  const drawing = useMemo(() => (width > 0 ? draw(preview, chosen, width) : null), [preview, chosen, width]);
  const label = useMemo(() => labels(preview.timeZone), [preview.timeZone]);
  const wide = drawing !== null && (drawing.axis.at(-1)?.at ?? 0) - (drawing.axis[0]?.at ?? 0) > 26 * 3_600_000;
  return (
    <div className="timeline" ref={place}>
      {drawing && (
        <svg
          width={drawing.width}
          height={drawing.height}
          role="img"
          aria-label={t("definition.drawing", { job: preview.job, date: preview.date })}
        >
          <rect className="day" x={drawing.day.x} y={0} width={drawing.day.width} height={drawing.height - 18} />
          {drawing.axis.map((one) => (
            <g key={one.at}>
              <line className="hour" x1={one.x} x2={one.x} y1={0} y2={drawing.height - 18} />
              <text className="hour" x={one.x} y={drawing.height - 5} textAnchor="middle">
                {label(one.at, wide)}
              </text>
            </g>
          ))}
          {drawing.lanes.map((lane) => (
            <LaneView key={lane.n} lane={lane} width={drawing.width} />
          ))}
          <line className="lane" x1={0} x2={drawing.width} y1={ownLane - 10} y2={ownLane - 10} />
          <text className="name own" x={4} y={14}>
            {preview.job}
          </text>
          {drawing.own.map((one) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list below does the same by keyboard
            <path
              key={one.n}
              className={one.chosen ? "own chosen" : "own"}
              d={`M${one.x} ${ownLane - 18}l8 8l-8 8l-8 -8z`}
              onClick={() => onChoose(one.n)}
            />
          ))}
        </svg>
      )}
      {drawing && drawing.left > 0 && <p className="soft small">{t("definition.lanesLeft", { n: drawing.left })}</p>}
    </div>
  );
}

function LaneView({ lane, width }: { lane: Lane; width: number }) {
  const top = ownLane - 2;
  const { link } = lane;
  return (
    <g>
      {lane.window && <rect className="looked" x={lane.window.x} y={lane.y - 9} width={lane.window.width} height={18} rx={4} />}
      <line className="lane" x1={0} x2={width} y1={lane.y} y2={lane.y} />
      {link && link.to[1] - link.to[0] > 3 && (
        <path className="band" d={`M${link.from} ${top}L${link.to[0]} ${lane.y}L${link.to[1]} ${lane.y}z`} />
      )}
      {link && link.to[1] - link.to[0] <= 3 && <path className="join" d={`M${link.from} ${top}L${link.to[1]} ${lane.y - 6}`} />}
      {lane.marks.map((one) => (
        <circle key={one.at} className={one.in ? "in" : "out"} cx={one.x} cy={lane.y} r={one.in ? 5 : 3.5} />
      ))}
      <text className="name" x={4} y={lane.y - 12}>
        {lane.name}
      </text>
    </g>
  );
}

/** labels writes a time of the axis in the zone of the job: its hour, or where days are shown its date. */
function labels(zone: string): (at: number, wide: boolean) => string {
  const known = zone === "Local" ? undefined : zone;
  const form = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone: known, hourCycle: "h23" });
  const hours = form({ hour: "2-digit", minute: "2-digit" });
  const dates = form({ month: "2-digit", day: "2-digit" });
  return (at, wide) => {
    const time = hours.format(at);
    return wide && time === "00:00"
      ? dates
          .formatToParts(at)
          .filter((one) => one.type !== "literal")
          .reverse()
          .map((one) => one.value)
          .join("-")
      : time;
  };
}
