import { type Edge, type EdgeTypes, Handle, type Node, type NodeProps, type NodeTypes, Position, ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { createContext, type KeyboardEvent, memo, useContext, useEffect, useId, useMemo, useRef } from "react";
import "./canvas.css";
import "./pick.css";
import { useT } from "../i18n/language";
import { downstream } from "./downstream";
import { curve } from "./layout";
import { useLayout } from "./use-layout";
import { type Step, walk } from "./walk";

/** A PickNode is a job: its name, and what may stand below it. */
export interface PickNode {
  id: string;
  label: string;
  detail?: string;
}

const size = { width: 230, height: 46 };
const steps: Record<string, Step> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

const Chosen = createContext<{ chosen: ReadonlySet<string>; toggle: (id: string) => void; below: (id: string) => void }>({
  chosen: new Set(),
  toggle: () => undefined,
  below: () => undefined,
});

/**
 * PickGraph is a graph of jobs of which some are chosen, by a checkbox on each. The second button of a job chooses it with everything that waits for it, or takes all of that
 * away when it is chosen already. Edges lead from what is waited for to what waits. It keeps no state: the set is the caller's, and it fills whatever box it stands in, which needs a
 * height. Load it lazily, with the page that uses it: it brings the graph's libraries with it.
 *
 *     <PickGraph nodes={[{ id: "shop/orders", label: "orders", detail: "shop" }]} edges={[["shop/orders", "shop/report"]]} chosen={chosen} onChange={setChosen} />
 */
export function PickGraph(props: {
  nodes: PickNode[];
  edges: [string, string][];
  chosen: ReadonlySet<string>;
  onChange: (chosen: Set<string>) => void;
}) {
  const { nodes, edges, chosen, onChange } = props;
  const t = useT();
  const place = useRef<HTMLDivElement>(null);
  const ids = useMemo(() => new Set(nodes.map((node) => node.id)), [nodes]);
  const lines = useMemo(
    () =>
      edges.filter(([from, to]) => from !== to && ids.has(from) && ids.has(to)).map(([from, to]) => ({ key: `${from} → ${to}`, from, to })),
    [edges, ids],
  );
  const sized = useMemo(() => nodes.map((node) => ({ key: node.id, ...size })), [nodes]);
  const shape = useMemo(() => `${[...ids].join("\n")}\n\n${lines.map((line) => line.key).join("\n")}`, [ids, lines]);
  const { arrangement, failed } = useLayout(shape, sized, lines, nodes.length > 0);

  const latest = useRef({ chosen, onChange, lines });
  useEffect(() => {
    latest.current = { chosen, onChange, lines };
  });
  const choice = useMemo(
    () => ({
      chosen,
      toggle: (id: string) => {
        const next = new Set(latest.current.chosen);
        if (!next.delete(id)) next.add(id);
        latest.current.onChange(next);
      },
      below: (id: string) => {
        const all = downstream(id, latest.current.lines);
        const has = all.every((one) => latest.current.chosen.has(one));
        const next = new Set(latest.current.chosen);
        for (const one of all) has ? next.delete(one) : next.add(one);
        latest.current.onChange(next);
      },
    }),
    [chosen],
  );
  const boxes = useMemo(
    () =>
      nodes.flatMap((node): PickBoxNode[] => {
        const at = arrangement?.places.get(node.id);
        return at ? [{ id: node.id, type: "pick", position: { x: at[0], y: at[1] }, ...size, measured: size, data: { node } }] : [];
      }),
    [nodes, arrangement],
  );
  const strands = useMemo(
    () =>
      lines
        .filter((line) => arrangement?.places.has(line.from) && arrangement.places.has(line.to))
        .map(
          (line): PickLine => ({
            id: line.key,
            source: line.from,
            target: line.to,
            type: "pick",
            ariaLabel: t("graph.lineOf", { from: line.from, to: line.to }),
            data: { bends: arrangement?.bends.get(line.key) ?? [], both: chosen.has(line.from) && chosen.has(line.to) },
          }),
        ),
    [lines, arrangement, chosen, t],
  );
  const key = (event: KeyboardEvent) => {
    const on = event.target instanceof HTMLElement ? event.target.dataset.pick : undefined;
    const step = steps[event.key];
    if (on === undefined || !step || !arrangement) return;
    event.preventDefault();
    const spots = [...arrangement.places].map(([one, [x, y]]) => ({ key: one, x, y }));
    const from = spots.find((spot) => spot.key === on);
    const next = from && walk(from, step, spots, lines);
    if (next) place.current?.querySelector<HTMLElement>(`[data-pick="${CSS.escape(next)}"]`)?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a graph is no fieldset
    <div className="canvas pick" role="group" aria-label={t("pick.label")} ref={place} onKeyDown={key}>
      {failed && <p className="problem">{t("graph.layFailed")}</p>}
      <Chosen value={choice}>
        {arrangement && (
          <ReactFlow
            key={arrangement.shape}
            nodes={boxes}
            edges={strands}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            fitView
            fitViewOptions={{ padding: 0.06, minZoom: 0.4, maxZoom: 1 }}
            onNodeClick={nothing}
            minZoom={0.08}
            maxZoom={1.6}
            zoomOnDoubleClick={false}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            disableKeyboardA11y
            proOptions={{ hideAttribution: true }}
          />
        )}
      </Chosen>
    </div>
  );
}

type PickBoxNode = Node<{ node: PickNode }, "pick">;
type PickLine = Edge<{ bends: [number, number][]; both: boolean }, "pick">;

const nothing = () => undefined;

const PickBox = memo(function PickBox({ data: { node } }: NodeProps<PickBoxNode>) {
  const t = useT();
  const id = useId();
  const { chosen, toggle, below } = useContext(Chosen);
  return (
    <div className={chosen.has(node.id) ? "pick-box chosen" : "pick-box"}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
      <input
        id={id}
        type="checkbox"
        className="nopan"
        data-pick={node.id}
        checked={chosen.has(node.id)}
        onChange={() => toggle(node.id)}
        aria-label={t("pick.job", { job: node.id })}
      />
      <label htmlFor={id} className="nopan">
        <span className="name">{node.label}</span>
        {node.detail !== undefined && <span className="soft small">{node.detail}</span>}
      </label>
      <button
        type="button"
        className="plain small nopan"
        aria-label={t("pick.below", { job: node.id })}
        title={t("pick.below", { job: node.id })}
        onClick={() => below(node.id)}
      >
        <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4 3l5 5-5 5M8.5 3l5 5-5 5" fill="none" stroke="currentColor" strokeWidth="1.7" />
        </svg>
      </button>
    </div>
  );
});

function PickStrand({
  data,
  sourceX,
  sourceY,
  targetX,
  targetY,
}: {
  data?: PickLine["data"];
  sourceX: number;
  sourceY: number;
  targetX: number;
  targetY: number;
}) {
  return (
    <path
      className={data?.both ? "strand lit" : "strand"}
      d={curve([sourceX, sourceY], data?.bends ?? [], [targetX, targetY])}
      fill="none"
    />
  );
}

const nodeTypes: NodeTypes = { pick: PickBox };
const edgeTypes: EdgeTypes = { pick: PickStrand };
