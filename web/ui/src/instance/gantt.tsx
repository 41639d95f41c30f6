import { useState } from "react";
import { useLocation } from "wouter";
import { Glyph } from "../design/state";
import { known, useT } from "../i18n/language";
import { span } from "../parts/time";
import { useWidth } from "../parts/width";
import { type Bar, extent, minutesOf, type Row, type Run, ticks, wall } from "./spans";

const line = 26;
const foot = 22;
const shownAtFirst = 60;

/** Gantt shows when the steps of one run waited and ran. The list of steps says the same in words. */
export function Gantt({ rows, run, planTime, now }: { rows: Row[]; run: Run; planTime: string; now: number | null }) {
  const t = useT();
  const [place, width] = useWidth();
  const [all, setAll] = useState(false);
  const began = rows.filter((row) => row.bars.length > 0);
  const shown = all ? began : began.slice(0, shownAtFirst);
  const reach = extent(began, run);
  const offset = minutesOf(planTime);
  const end = Math.max(width - 1, 1);
  const x = (at: number) => ((at - reach[0]) / (reach[1] - reach[0])) * end;
  const height = shown.length * line;
  const marks = ticks(reach, Math.max(2, Math.floor(width / 90)), offset);
  const seconds = reach[1] - reach[0] < 3_600_000;
  return (
    <>
      <div className="gantt">
        <ul>
          {shown.map((row) => (
            <li key={row.step?.step ?? ""} className={`state ${row.step?.state ?? "failed"}`} title={nameOf(row, t)}>
              <Glyph state={row.step?.state ?? "failed"} />
              <span title={nameOf(row, t)}>{nameOf(row, t)}</span>
            </li>
          ))}
        </ul>
        <div ref={place}>
          {width > 0 && (
            <svg
              width={width}
              height={height + foot}
              role="img"
              aria-label={t("steps.ganttOf", { n: began.length, took: span((reach[1] - reach[0]) / 1000, t) })}
            >
              {marks.map((at) => (
                <g key={at}>
                  <line x1={x(at)} x2={x(at)} y1={0} y2={height} className="mark" />
                  <text x={x(at)} y={height + 15} textAnchor={x(at) < 30 ? "start" : x(at) > width - 30 ? "end" : "middle"}>
                    {wall(at, offset, seconds)}
                  </text>
                </g>
              ))}
              {shown.map((row, n) => (
                <g key={row.step?.step ?? ""} transform={`translate(0 ${n * line})`}>
                  <line x1={0} x2={width} y1={line - 0.5} y2={line - 0.5} className="rule" />
                  {row.bars.map((bar) => (
                    <BarShape key={`${bar.kind} ${bar.from}`} bar={bar} from={x(bar.from)} to={x(bar.to)} name={nameOf(row, t)} />
                  ))}
                </g>
              ))}
              {now !== null && <line x1={x(now)} x2={x(now)} y1={0} y2={height} className="now" />}
            </svg>
          )}
        </div>
      </div>
      <div className="row small soft gantt-legend">
        <span>
          <i className="swatch run" /> {t("steps.key.run")}
        </span>
        <span>
          <i className="swatch queue" /> {t("steps.key.queue")}
        </span>
        <span>
          <i className="swatch retry" /> {t("steps.key.retry")}
        </span>
        {began.length > shown.length && (
          <button type="button" onClick={() => setAll(true)}>
            {t("steps.showAll", { n: began.length })}
          </button>
        )}
      </div>
    </>
  );
}

function BarShape({ bar, from, to, name }: { bar: Bar; from: number; to: number; name: string }) {
  const t = useT();
  const [, go] = useLocation();
  const long = span((bar.to - bar.from) / 1000, t);
  const wide = Math.max(2, to - from);
  if (bar.kind === "watch") {
    return (
      <g className="watch">
        <rect x={from + 1} y={6} width={wide} height={14} rx={3} />
        <title>{`${name}: ${t("steps.key.watch")}, ${long}`}</title>
      </g>
    );
  }
  if (bar.attempt === undefined) {
    const key = `steps.key.${bar.kind}`;
    return (
      <rect x={from} y={10} width={wide} height={6} className={bar.kind}>
        <title>{`${name}: ${known(key) ? t(key) : bar.kind}, ${long}`}</title>
      </rect>
    );
  }
  const { attempt } = bar;
  const outcome = attempt.outcome ?? "running";
  const key = `state.${outcome}`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list of steps has the same link for the keyboard
    <g className={`bar ${outcome}`} onClick={() => go(`${location.pathname}?tab=log&attempt=${attempt.id}`)}>
      <rect x={from} y={5} width={wide} height={16} rx={wide > 6 ? 3 : 0} />
      {outcome !== "succeeded" && outcome !== "running" && wide > 14 && <path d={`M${from + 5} 9l8 8m0-8l-8 8`} />}
      <title>{`${name}: ${t("instance.attempt", { n: attempt.number })}, ${known(key) ? t(key) : outcome}, ${long}${attempt.text === undefined ? "" : `, ${attempt.text}`}`}</title>
    </g>
  );
}

function nameOf(row: Row, t: ReturnType<typeof useT>): string {
  if (row.step === null) return t("instance.errorAction");
  return row.step.step === undefined || row.step.step === "" ? t("steps.only") : row.step.step;
}
