import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { recentQuery } from "../api/queries";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { clock, span } from "../parts/time";
import { useWidth } from "../parts/width";
import { quantile, scaleOf, type Took, tookOf } from "./durations";

const most = 60;
const high = 230;
const room = { left: 62, right: 66, top: 8, bottom: 30 };

/** Durations is how long the latest instances of a job took, with the middle and what nine of ten did not exceed. */
export function Durations({ workflow, job }: { workflow: string; job: string }) {
  const t = useT();
  const [to] = useState(() => new Date(Date.now() + 60_000).toISOString());
  const query = useQuery(recentQuery({ workflow, job, to }, 100));
  return (
    <section className="card">
      <h2>{t("durations.title")}</h2>
      <Loaded query={query}>
        {({ items }) => {
          const list = tookOf(items ?? [], query.dataUpdatedAt, most);
          return list.length === 0 ? <p className="soft">{t("durations.none")}</p> : <Chart list={list} />;
        }}
      </Loaded>
    </section>
  );
}

function Chart({ list }: { list: Took[] }) {
  const t = useT();
  const [place, width] = useWidth();
  const [, go] = useLocation();
  const counted = list.filter((one) => one.counts).map((one) => one.seconds);
  const median = quantile(counted, 0.5);
  const p90 = quantile(counted, 0.9);
  const { top, marks } = scaleOf(list);
  const inner = Math.max(1, width - room.left - room.right);
  const each = Math.min(24, inner / list.length);
  const bottom = high - room.bottom;
  const y = (seconds: number) => bottom - (Math.min(seconds, top) / top) * (bottom - room.top);
  const first = list[0]?.instance.planTime;
  const last = list.at(-1)?.instance.planTime;
  const words = t("durations.words", {
    n: list.length,
    median: median === undefined ? "–" : span(median, t),
    high: p90 === undefined ? "–" : span(p90, t),
    failed: list.filter((one) => one.instance.state === "failed").length,
  });
  // The labels of the two lines keep apart.
  const apart = median !== undefined && p90 !== undefined && y(median) - y(p90) < 13;
  return (
    <>
      <p className="soft">{words}</p>
      <div ref={place} className="durations">
        {width > 0 && (
          <svg width={width} height={high} role="img" aria-label={words}>
            {marks.map((mark) => (
              <g key={mark}>
                <line x1={room.left} x2={width - room.right} y1={y(mark)} y2={y(mark)} className="mark" />
                <text x={room.left - 6} y={y(mark) + 4} textAnchor="end">
                  {mark === 0 ? "0" : span(mark, t)}
                </text>
              </g>
            ))}
            {list.map((one, n) => {
              const x = room.left + n * each;
              const { instance } = one;
              const beyond = one.seconds > top;
              return (
                // biome-ignore lint/a11y/noStaticElementInteractions: the table below has the same links for the keyboard
                <g
                  key={instance.id}
                  className={`took ${instance.state}${one.counts ? "" : " apart"}`}
                  onClick={() => go(`/instances/${instance.id}`)}
                >
                  <rect x={x} y={room.top} width={each} height={bottom - room.top} className="reach" />
                  <rect
                    x={x + each * 0.12}
                    y={y(one.seconds)}
                    width={each * 0.76}
                    height={Math.max(1, bottom - y(one.seconds))}
                    className="bar"
                  />
                  {beyond && <path d={`M${x} ${room.top + 12}l${each} -4m0 4l${-each} 4`} className="cut" />}
                  {instance.state === "failed" && <path d={`M${x + each / 2 - 3} ${bottom + 4}l6 6m0-6l-6 6`} className="cross" />}
                  <title>{`${clock(instance.planTime)}: ${span(one.seconds, t)}, ${t(`state.${instance.state}`)}`}</title>
                </g>
              );
            })}
            {median !== undefined && (
              <Line y={y(median)} width={width} label={t("durations.median")} shift={apart ? 9 : 4} className="median" />
            )}
            {p90 !== undefined && <Line y={y(p90)} width={width} label={t("durations.high")} shift={apart ? -2 : 4} className="high" />}
            {first !== undefined && last !== undefined && first !== last && width > 320 && (
              <>
                <text x={room.left + 8} y={high - 2}>
                  {first.slice(5, 10)}
                </text>
                <text x={room.left + list.length * each - 8} y={high - 2} textAnchor="end">
                  {last.slice(5, 10)}
                </text>
              </>
            )}
          </svg>
        )}
      </div>
      <details>
        <summary>{t("durations.table")}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("column.planTime")}</th>
              <th scope="col">{t("column.state")}</th>
              <th scope="col">{t("column.took")}</th>
            </tr>
          </thead>
          <tbody>
            {list.toReversed().map(({ instance, seconds }) => (
              <tr key={instance.id}>
                <td className="number">
                  <Link href={`/instances/${instance.id}`}>{clock(instance.planTime)}</Link>
                </td>
                <td>
                  <StateMark state={instance.state} />
                </td>
                <td className="number">{span(seconds, t)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function Line(props: { y: number; width: number; label: string; shift: number; className: string }) {
  return (
    <g className={props.className}>
      <line x1={room.left} x2={props.width - room.right} y1={props.y} y2={props.y} />
      <text x={props.width - room.right + 5} y={props.y + props.shift}>
        {props.label}
      </text>
    </g>
  );
}
