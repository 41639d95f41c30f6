import { type KeyboardEvent, type Ref, useMemo, useRef, useState } from "react";
import { useT } from "../i18n/language";
import { Lanes, type LanesHandle } from "../lanes/lanes";
import { stateLooks } from "../lanes/looks";
import type { Look, Spot } from "../lanes/model";
import { type Comparison, type Move, moveOf } from "./compare";
import type { Foresight } from "./foresight";
import { edgesOf, moved, type Picture } from "./picture";
import type { Words } from "./words";

/** Of more bars than so many, the one that is dragged is moved when it is let go. */
const followed = 20_000;

/** What ends well is quiet; what moves by the changes stands out, as what ends badly does. */
const looks = { ...stateLooks, moved: { ...stateLooks.succeeded, fill: "solid", rank: 7 } as Look };
const options = { gutter: 184, edges: "all", looks } as const;

export interface ChartProps {
  foresight: Foresight;
  shown: Picture;
  comparison: Comparison | undefined;
  words: Words;
  chosen: number; // the place of an instance, -1 is none
  path: readonly number[]; // of the chosen
  pending: ReadonlyMap<number, number>; // by how much ends will move when what is asked for has been played
  onChoose: (i: number) => void;
  onDelay: (i: number, by: number) => void; // so much later than it ends now
  onFail: (i: number) => void;
  onField: (i: number) => void; // the delay shall be typed
  handle: Ref<LanesHandle>;
}

/** Chart is the day as lanes. A bar, or its end, is dragged to delay it; D and F do to the bar at the cursor what a pointer cannot. */
export function Chart(props: ChartProps) {
  const t = useT();
  const { foresight, shown, words, pending, path } = props;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [drag, setDrag] = useState<{ i: number; from: number; to: number }>();
  const cursor = useRef(-1); // the instance at the cursor
  const move = (i: number) => props.comparison && moveOf(props.comparison, i);
  const data = useMemo(() => {
    const places = new Map<number, { from: number; to: number }>();
    for (const [i, by] of pending) {
      const bar = shown.data.bars[shown.bars[i] ?? -1];
      if (bar) places.set(i, { from: bar.from, to: Math.max(bar.from, bar.to + by) });
    }
    if (drag && shown.data.bars.length <= followed) places.set(drag.i, drag);
    return { ...moved(shown, places), edges: edgesOf(shown, path) };
  }, [shown, pending, drag, path]);

  const instance = (bar: number) => (bar < 0 ? -1 : (shown.instances[bar] ?? -1));
  const nameOf = (spot: Spot): string => {
    if (spot.kind === "group") return spot.group;
    const job = spot.kind === "lane" ? foresight.columns.jobs[shown.jobs[spot.lane] ?? -1] : undefined;
    return job ? `${job.workflow}/${job.job}` : "";
  };
  const describe = (spot: Spot): string => {
    cursor.current = spot.kind === "bar" ? instance(spot.bar) : -1;
    return spot.kind === "bar" ? words.sentence(cursor.current, move(cursor.current)) : nameOf(spot);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const i = cursor.current >= 0 ? cursor.current : props.chosen;
    const key = event.key.toLowerCase();
    if (i < 0 || (key !== "d" && key !== "f")) return;
    event.preventDefault();
    if (key === "d") props.onField(i);
    else props.onFail(i);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the application within, which has the focus
    <div className="chart" onKeyDown={press}>
      <Lanes
        label={t("simulate.chart")}
        data={data}
        options={options}
        folded={folded}
        selected={shown.bars[props.chosen] ?? -1}
        now={0}
        describe={describe}
        tooltip={(spot) =>
          spot.kind === "bar" ? <Tip i={instance(spot.bar)} words={words} move={move(instance(spot.bar))} /> : nameOf(spot)
        }
        onSelect={(bar) => props.onChoose(instance(bar))}
        onOpen={(spot) => {
          if (spot.kind === "bar") props.onChoose(instance(spot.bar));
        }}
        onFold={(group, fold) => setFolded((old) => new Set(fold ? [...old, group] : [...old].filter((one) => one !== group)))}
        onDrag={(bar, from, to, done) => {
          const i = instance(bar);
          const end = foresight.end(i);
          if (i < 0 || end === undefined) return;
          setDrag(done ? undefined : { i, from, to });
          if (done) props.onDelay(i, to - end);
        }}
        handle={props.handle}
      />
      {drag && <Dragged words={words} i={drag.i} to={drag.to} end={foresight.end(drag.i) ?? drag.to} />}
    </div>
  );
}

/** Dragged says how far the held bar has been moved. */
function Dragged({ words, i, to, end }: { words: Words; i: number; to: number; end: number }) {
  const t = useT();
  const by = to - end;
  return (
    <p className="dragged" aria-hidden="true">
      {words.title(i)} <strong>{t(by < 0 ? "simulate.earlier" : "simulate.later", { span: words.span(Math.abs(by)) })}</strong>
    </p>
  );
}

/** Tip is what is told at the pointer. */
function Tip({ i, words, move }: { i: number; words: Words; move: Move | undefined }) {
  return (
    <div className="stack tight">
      <strong>{words.title(i)}</strong>
      <span>
        {words.state(i)} · {words.runs(i)}
      </span>
      {words.foresight.held(i) > 0 && <span className="soft">{words.waited(i)}</span>}
      {words.deadline(i) !== "" && <span className="soft">{words.deadline(i)}</span>}
      {move && <strong>{words.move(move)}</strong>}
    </div>
  );
}
