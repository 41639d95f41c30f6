import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import "./box.css";
import { Glyph, gateWord } from "../design/state";
import { type Translate, useT } from "../i18n/language";
import { clock } from "../parts/time";
import { useActs } from "./acts";
import { type Item, stateOf } from "./data";
import type { Drawn } from "./draw";
import { nameOf, rangeState, rangeWords, sayNode, stateWord } from "./words";

export type BoxNode = Node<{ drawn: Drawn; centre: boolean; first: boolean; hit: boolean }, "box">;

/** The size of each kind of node, which the layout is made of: box.css has the same. */
export const sizes: Record<Drawn["kind"], { width: number; height: number }> = {
  instance: { width: 240, height: 62 },
  range: { width: 240, height: 50 },
  job: { width: 240, height: 62 },
};

/** A Box is a node of the picture. Its first button is the node itself, the small ones show more of what is beside it. */
export const Box = memo(function Box({ data, selected }: NodeProps<BoxNode>) {
  const t = useT();
  const acts = useActs();
  const { drawn, centre, first, hit } = data;
  const words = ["box", drawn.kind, drawn.kind === "instance" ? stateOf(drawn.item) : ""];
  if (drawn.root !== "") words.push("root", drawn.root);
  if (centre) words.push("centre");
  if (selected) words.push("chosen");
  if (hit) words.push("hit");
  return (
    <div className={words.join(" ")}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
      {drawn.root !== "" && (
        <span className="flag" aria-hidden="true">
          {t("graph.root")}
        </span>
      )}
      <button
        type="button"
        className="face nopan"
        title={nameOf(drawn, t)}
        data-node={drawn.key}
        tabIndex={first ? 0 : -1}
        aria-current={centre ? "true" : undefined}
        aria-pressed={selected}
        onClick={() => acts.select(drawn.key)}
        onDoubleClick={() => acts.open(drawn.key)}
        onContextMenu={(event) => {
          event.preventDefault();
          acts.menu(drawn.key, event.clientX, event.clientY);
        }}
      >
        <span className="hidden">{sayNode(drawn, t)}</span>
        {drawn.kind === "instance" && <InstanceFace item={drawn.item} />}
        {drawn.kind === "range" && (
          <span className="looks" aria-hidden="true">
            <span className="title">
              <Stack />
              <span className="name">
                {drawn.wait.edge.count} × {drawn.wait.edge.job}
              </span>
            </span>
            <span className={rangeState(drawn)}>{rangeWords(drawn, t)}</span>
          </span>
        )}
        {drawn.kind === "job" && <JobFace items={drawn.items} workflow={drawn.workflow} job={drawn.job} />}
      </button>
      {drawn.kind === "instance" && <More item={drawn.item} name={nameOf(drawn, t)} />}
    </div>
  );
});

function InstanceFace({ item }: { item: Item }) {
  const t = useT();
  const { instance } = item;
  return (
    <span className="looks" aria-hidden="true">
      <span className="title">
        <Glyph state={stateOf(item)} />
        <span className="name">{instance.job}</span>
        <span className="workflow">{instance.workflow}</span>
      </span>
      <span className="second">
        <span className="number">{clock(instance.planTime)}</span>
        <span className="state-word">{stateSecond(item, t)}</span>
      </span>
    </span>
  );
}

/** stateSecond is the state in a word; of what waits, the gate that holds it. */
function stateSecond(item: Item, t: Translate): string {
  if (item.planned && item.instance.state === "waiting" && item.instance.gate !== undefined) return gateWord(item.instance.gate, t);
  if (!item.planned) return t("graph.unplanned");
  return stateWord(stateOf(item), t);
}

function JobFace({ items, workflow, job }: { items: Item[]; workflow: string; job: string }) {
  const t = useT();
  const counts = new Map<string, number>();
  for (const item of items) counts.set(stateOf(item), (counts.get(stateOf(item)) ?? 0) + 1);
  return (
    <span className="looks" aria-hidden="true">
      <span className="title">
        <Stack />
        <span className="name">{job}</span>
        <span className="workflow">{workflow}</span>
      </span>
      <span className="second">
        <span>{t("graph.jobCount", { n: items.length })}</span>
        <span className="tally">
          {[...counts].map(([state, n]) => (
            <span key={state} className={state}>
              <Glyph state={state} />
              {n}
            </span>
          ))}
        </span>
      </span>
    </span>
  );
}

function Stack() {
  return (
    <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M8 1.8 14.4 5 8 8.2 1.6 5zM1.6 8 8 11.2 14.4 8M1.6 11 8 14.2 14.4 11"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinejoin="round"
      />
    </svg>
  );
}

function More({ item, name }: { item: Item; name: string }) {
  const t = useT();
  const acts = useActs();
  return (
    <>
      {item.moreUp > 0 && (
        <button
          type="button"
          className="more up nopan"
          tabIndex={-1}
          aria-label={`${name}: ${t("graph.moreUp", { n: item.moreUp })}`}
          title={t("graph.moreUp", { n: item.moreUp })}
          onClick={() => acts.expand(item.key, "up")}
        >
          +{item.moreUp}
        </button>
      )}
      {item.moreDown > 0 && (
        <button
          type="button"
          className="more down nopan"
          tabIndex={-1}
          aria-label={`${name}: ${t("graph.moreDown", { n: item.moreDown })}`}
          title={t("graph.moreDown", { n: item.moreDown })}
          onClick={() => acts.expand(item.key, "down")}
        >
          +{item.moreDown}
        </button>
      )}
    </>
  );
}
