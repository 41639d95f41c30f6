import { type EdgeTypes, MiniMap, type NodeTypes, ReactFlow, type ReactFlowInstance } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import "./canvas.css";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useT } from "../i18n/language";
import { type Acts, ActsContext } from "./acts";
import { Box, type BoxNode, sizes } from "./box";
import { stateOf } from "./data";
import type { Picture } from "./draw";
import { firstSight, whole } from "./sight";
import { Arrows, Strand, type StrandEdge } from "./strand";
import type { Arrangement } from "./use-layout";
import { type Step, walk } from "./walk";
import { sayLine } from "./words";

const nodeTypes: NodeTypes = { box: Box };
const edgeTypes: EdgeTypes = { strand: Strand };
const steps: Record<string, Step> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A Sight is what others can do with what is in sight of the picture. */
export interface Sight {
  show: (key: string, focus: boolean) => void; // brings a node into the middle
}

/** The Canvas draws a picture as it was arranged, and is moved in by pointer and by keyboard. */
export function Canvas(props: {
  picture: Picture;
  arrangement: Arrangement;
  selected: string;
  hits: ReadonlySet<string>;
  acts: Acts;
  onSight: (sight: Sight) => void;
}) {
  const { picture, arrangement, selected, hits, acts, onSight } = props;
  const t = useT();
  const flow = useRef<ReactFlowInstance<BoxNode, StrandEdge> | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(false);
  const marked = picture.nodes.has(selected) ? selected : picture.centre;

  const base = useMemo(() => {
    const list: BoxNode[] = [];
    for (const drawn of picture.nodes.values()) {
      const place = arrangement.places.get(drawn.key);
      if (!place) continue;
      const size = sizes[drawn.kind];
      list.push({
        id: drawn.key,
        type: "box",
        position: { x: place[0], y: place[1] },
        ...size,
        measured: size,
        zIndex: 3, // above the lines: "+3" beside a node is not struck through
        data: { drawn, centre: drawn.key === picture.centre, first: false, hit: false },
      });
    }
    return list;
  }, [picture, arrangement]);
  const nodes = useMemo(
    () =>
      base.map((node) => {
        const hit = hits.has(node.id);
        if (node.id !== marked && node.id !== selected && !hit) return node;
        return { ...node, selected: node.id === selected, data: { ...node.data, first: node.id === marked, hit } };
      }),
    [base, marked, selected, hits],
  );
  const lines = useMemo(
    () =>
      picture.lines
        .filter((line) => arrangement.places.has(line.from) && arrangement.places.has(line.to))
        .map(
          (line): StrandEdge => ({
            id: line.key,
            type: "strand",
            source: line.from,
            target: line.to,
            zIndex: line.blocking === "" ? 0 : 1,
            data: { line, bends: arrangement.bends.get(line.key) ?? [], lit: "" },
            ariaLabel: sayLine(line, picture.nodes, t),
          }),
        ),
    [picture, arrangement, t],
  );
  const edges = useMemo(
    () =>
      lines.map((edge): StrandEdge => {
        const lit = edge.target === selected ? "up" : edge.source === selected ? "down" : "";
        if (edge.id !== selected && lit === "") return edge;
        return { ...edge, selected: edge.id === selected, zIndex: 2, data: edge.data && { ...edge.data, lit } };
      }),
    [lines, selected],
  );

  const centreOf = useCallback(
    (key: string) => {
      const drawn = picture.nodes.get(key);
      const place = arrangement.places.get(key);
      if (!drawn || !place) return null;
      return { x: place[0] + sizes[drawn.kind].width / 2, y: place[1] + sizes[drawn.kind].height / 2 };
    },
    [picture, arrangement],
  );
  const focus = useCallback((key: string) => {
    let tries = 0;
    const attempt = () => {
      const button = box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(key)}"]`);
      if (button) button.focus({ preventScroll: true });
      else if (tries++ < 20) requestAnimationFrame(attempt); // it comes into the document when it comes into sight
    };
    attempt();
  }, []);
  const reveal = useCallback(
    (key: string, always: boolean) => {
      const at = centreOf(key);
      const view = flow.current;
      const frame = box.current?.getBoundingClientRect();
      if (!at || !view || !frame) return;
      const on = view.flowToScreenPosition(at);
      const inside = on.x > frame.left + 130 && on.x < frame.right - 130 && on.y > frame.top + 50 && on.y < frame.bottom - 50;
      if (always || !inside) void view.setCenter(at.x, at.y, { zoom: Math.max(0.7, view.getZoom()), duration: still() ? 0 : 200 });
    },
    [centreOf],
  );

  // The first picture is fitted into the window, as long as it can still be read; later ones leave what is marked where it was.
  const before = useRef<{ arrangement: Arrangement; at: [number, number]; key: string } | null>(null);
  useEffect(() => {
    const view = flow.current;
    const place = arrangement.places.get(marked);
    if (!ready || !view || !place) return;
    const last = before.current;
    before.current = { arrangement, at: place, key: marked };
    if (last === null) {
      void view.fitView({ padding: margin, minZoom: 0.7, maxZoom: 1, duration: 0 }).then(() => {
        const frame = box.current?.getBoundingClientRect();
        const { zoom } = view.getViewport();
        const all = [...arrangement.places.values()];
        if (!frame || all.length === 0) return;
        const [left, top] = [Math.min(...all.map(([x]) => x)), Math.min(...all.map(([, y]) => y))];
        const wide = (Math.max(...all.map(([x]) => x)) - left + 240) * zoom;
        const high = (Math.max(...all.map(([, y]) => y)) - top + 62) * zoom;
        if (wide + 2 * side <= frame.width && high + 2 * side <= frame.height) return;
        const middle = firstSight((place[0] - left + 120) * zoom, wide, frame.width, side);
        const starts = [...new Set(all.map(([x]) => (x - left) * zoom))];
        const x = whole(middle, starts, 240 * zoom, (place[0] - left) * zoom, frame.width, side);
        const y = firstSight((place[1] - top + 31) * zoom, high, frame.height, side);
        void view.setViewport({ x: x - left * zoom, y: y - top * zoom, zoom });
      });
      return;
    }
    if (last.arrangement === arrangement) return;
    const was = last.arrangement.places.get(marked);
    if (!was) return;
    const { x, y, zoom } = view.getViewport();
    void view.setViewport({ x: x + (was[0] - place[0]) * zoom, y: y + (was[1] - place[1]) * zoom, zoom }, { duration: 0 });
  }, [arrangement, marked, ready]);

  useEffect(() => {
    onSight({
      show: (key, focused) => {
        reveal(key, true);
        if (focused) focus(key);
      },
    });
  }, [onSight, reveal, focus]);

  const zoom = (by: number) => void flow.current?.zoomTo(flow.current.getZoom() * by, { duration: still() ? 0 : 120 });
  const key = (event: KeyboardEvent) => {
    const on = event.target instanceof HTMLElement ? event.target.dataset.node : undefined;
    if (on === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = steps[event.key];
    if (step) {
      const spots = [...picture.nodes.keys()].flatMap((one) => {
        const at = centreOf(one);
        return at ? [{ key: one, ...at }] : [];
      });
      const from = spots.find((spot) => spot.key === on);
      const next = from && walk(from, step, spots, picture.lines);
      if (next) {
        acts.select(next);
        reveal(next, false);
        focus(next);
      }
    } else if (event.key === "Home") {
      acts.select(picture.centre);
      reveal(picture.centre, false);
      focus(picture.centre);
    } else if (event.key === "Enter") acts.open(on);
    else if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
      const frame = (event.target as HTMLElement).getBoundingClientRect();
      acts.menu(on, frame.left + 24, frame.bottom - 8);
    } else if (event.key === "+") {
      const drawn = picture.nodes.get(on);
      if (drawn?.kind === "instance") acts.expand(on, drawn.item.moreUp > 0 ? "up" : "down");
    } else return;
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: nodes that stand together are no form
    <div className="canvas" ref={box} onKeyDown={key} role="group" aria-label={t("graph.region")}>
      <Arrows />
      <ActsContext value={acts}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onInit={(instance) => {
            flow.current = instance;
            setReady(true);
          }}
          onEdgeClick={(_, edge) => acts.select(edge.id)}
          onNodeClick={nothing}
          onPaneClick={() => acts.select("")}
          onlyRenderVisibleElements={nodes.length > 150}
          minZoom={0.08}
          maxZoom={1.6}
          zoomOnDoubleClick={false}
          panOnScroll={false}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          proOptions={{ hideAttribution: true }}
        >
          {nodes.length > 8 && <MiniMap pannable zoomable ariaLabel={t("graph.map")} nodeClassName={mapClass} nodeBorderRadius={4} />}
        </ReactFlow>
      </ActsContext>
      <span className="joined zoom">
        <button type="button" onClick={() => zoom(1 / 1.3)} aria-label={t("graph.out")}>
          −
        </button>
        <button type="button" onClick={() => void flow.current?.fitView({ padding: margin, maxZoom: 1, duration: still() ? 0 : 200 })}>
          {t("graph.fit")}
        </button>
        <button type="button" onClick={() => zoom(1.3)} aria-label={t("graph.in")}>
          +
        </button>
      </span>
    </div>
  );
}

/** The room at each side of what is fitted: for "+3" beside a node, and for the buttons and words in the corners. */
const side = 44;
const margin = `${side}px` as const;

/** nothing lets a node take the pointer: one without any handler would let it through. */
const nothing = () => undefined;

function mapClass(node: BoxNode): string {
  const { drawn, centre } = node.data;
  const state = drawn.kind === "instance" ? stateOf(drawn.item) : drawn.kind;
  return `map ${state}${drawn.root === "" ? "" : " root"}${centre ? " centre" : ""}`;
}
