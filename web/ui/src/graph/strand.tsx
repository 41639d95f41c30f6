import { type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { memo, useState } from "react";
import "./strand.css";
import { useT } from "../i18n/language";
import type { Line } from "./draw";
import { curve } from "./layout";
import { lineWords, shortWords } from "./words";

export type StrandEdge = Edge<{ line: Line; bends: [number, number][]; lit: "" | "up" | "down" }, "strand">;

/** A Strand is a line of the picture. It tells its rule beside what is marked, and its window too when it is pointed at or marked itself. */
export const Strand = memo(function Strand({ data, selected, sourceX, sourceY, targetX, targetY }: EdgeProps<StrandEdge>) {
  const t = useT();
  const [over, setOver] = useState(false);
  if (!data) return null;
  const { line, bends, lit } = data;
  const path = curve([sourceX, sourceY], bends, [targetX, targetY]);
  const kind =
    line.blocking === "" ? (line.satisfied ? "satisfied" : "waiting-for") : line.blocking === "urgent" ? "blocking urgent" : "blocking";
  const words = ["strand", kind];
  if (selected || over || lit !== "") words.push("lit");
  const edge = line.waits[0]?.edge;
  const full = selected || over;
  const [x, y] = full
    ? middle([sourceX, sourceY], bends, [targetX, targetY])
    : lit === "up"
      ? [sourceX + 6, sourceY]
      : [targetX - 6, targetY];
  return (
    <>
      <path className={words.join(" ")} d={path} fill="none" markerEnd={`url(#arrow-${kind.replace(" ", "-")})`} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what the pointer shows here is in the panel of what is marked */}
      <path className="reach" d={path} fill="none" onMouseEnter={() => setOver(true)} onMouseLeave={() => setOver(false)} />
      {edge && (full || lit !== "") && (
        <EdgeLabelRenderer>
          <div
            className={`strand-label ${full ? "full" : lit}`}
            style={{
              transform: `translate(${x}px, ${full ? y - 36 : y}px) translate(${full ? "-50%" : lit === "up" ? "0" : "-100%"}, ${full ? "-100%" : "-50%"})`,
            }}
          >
            {full ? lineWords(edge, t) : shortWords(edge, t)}
            {line.waits.length > 1 && ` +${line.waits.length - 1}`}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

function middle(from: [number, number], bends: [number, number][], to: [number, number]): [number, number] {
  return bends[Math.floor(bends.length / 2)] ?? [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
}

/** Arrows are the ends of the lines, one of each kind, as the colour of an end cannot follow its line's. */
export function Arrows() {
  return (
    <svg className="arrows" aria-hidden="true">
      <defs>
        {["blocking urgent", "blocking", "satisfied", "waiting-for"].map((kind) => (
          <marker
            key={kind}
            id={`arrow-${kind.replace(" ", "-")}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="9"
            markerHeight="9"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path className={`arrow-head ${kind}`} d="M0 0.8 7.4 4 0 7.2z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}
