import { useMemo } from "react";
import type { Schemas } from "../api/client";
import { Glyph } from "../design/state";
import { known, useT } from "../i18n/language";
import { span } from "../parts/time";
import { box, drawDag, pathOf } from "./dag";
import type { Row } from "./spans";

type Step = Schemas["Step"];

/** StepGraph draws the steps with what each needs, from left to right. The items of a step are with it. */
export function StepGraph(props: { steps: Step[]; rows: Row[]; chosen: string | null; onChoose: (step: string) => void }) {
  const t = useT();
  const { steps, rows } = props;
  const plain = steps.filter((step) => step.itemOf === undefined);
  const shape = JSON.stringify(plain.map((step) => [step.step ?? "", step.needs ?? []]));
  const drawing = useMemo(() => drawDag((JSON.parse(shape) as [string, string[]][]).map(([name, needs]) => ({ name, needs }))), [shape]);
  const byName = new Map(plain.map((step) => [step.step ?? "", step]));
  return (
    <div className="dag">
      <div style={{ width: drawing.width, height: drawing.height }}>
        <svg width={drawing.width} height={drawing.height} aria-hidden="true">
          {drawing.edges.map((edge) => (
            <path
              key={`${edge.from} ${edge.to}`}
              d={pathOf(edge.points)}
              className={reached(byName.get(edge.from)) ? "passed" : undefined}
            />
          ))}
        </svg>
        {drawing.nodes.map((node) => {
          const step = byName.get(node.name);
          if (step === undefined) return null;
          const row = rows.find((one) => one.step?.step === step.step);
          const items = steps.filter((one) => one.itemOf === node.name);
          const words = state(step.state, t);
          return (
            <button
              type="button"
              key={node.name}
              className={`node ${step.state}`}
              aria-pressed={props.chosen === node.name}
              style={{ left: node.x, top: node.y, width: box.width, height: box.height }}
              onClick={() => props.onChoose(node.name)}
              title={node.name}
            >
              <Glyph state={step.state} />
              <span className="words">
                <span className="name" title={node.name}>
                  {node.name}
                </span>
                <span className="hidden">{words}</span>
                <span className="soft small number">
                  {items.length > 0
                    ? t("steps.items", { done: items.filter((one) => one.state === "succeeded").length, n: items.length })
                    : row !== undefined && row.attempts.length > 0
                      ? span(row.ran / 1000, t)
                      : words}
                  {row !== undefined && row.attempts.length > 1 && ` · ${t("steps.tried", { n: row.attempts.length })}`}
                </span>
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

function reached(step: Step | undefined): boolean {
  return step?.state === "succeeded" || step?.state === "skipped";
}

function state(word: string, t: ReturnType<typeof useT>): string {
  const key = `state.${word}`;
  return known(key) ? t(key) : word;
}
