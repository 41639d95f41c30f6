import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { CauseCard } from "../instance/cause";
import { Operations } from "../instance/operations";
import { ProblemView } from "../parts/problem";
import { beside, clock, offset } from "../parts/time";
import { type Item, stateOf, type Wait } from "./data";
import type { Drawn, Line, Picture } from "./draw";
import { explainedQuery, mostMembers } from "./queries";
import { type Root, split } from "./roots";
import { lineWords, nameOf, rangeState, rangeWords, selectNeeds } from "./words";

/** What the panel can do besides what the nodes can. */
export interface PanelActs {
  select: (key: string) => void;
  toRoot: (root: Root) => void;
  toggleRange: (range: string, show: boolean) => void;
  toggleJob: (job: string) => void;
  middle: (item: Item) => void;
}

/** The Panel tells about what is marked: an instance with what can be done, a range, a collapsed job, a line; else about the graph. */
export function Panel(props: { picture: Picture; selected: string; roots: Root[]; at: string; acts: PanelActs }) {
  const { picture, selected, roots, at, acts } = props;
  const t = useT();
  const node = picture.nodes.get(selected);
  const line = picture.lines.find((one) => one.key === selected);
  return (
    <aside className="graph-panel stack" aria-label={t("graph.panel")}>
      {(node || line) && (
        <button type="button" className="plain small unmark" onClick={() => acts.select("")} aria-label={t("graph.unmark")}>
          ✕
        </button>
      )}
      {node?.kind === "instance" && <AboutInstance key={node.key} node={node} picture={picture} at={at} acts={acts} />}
      {node?.kind === "range" && <AboutRange node={node} picture={picture} acts={acts} />}
      {node?.kind === "job" && <AboutJob node={node} picture={picture} acts={acts} />}
      {!node && line && <AboutLine line={line} picture={picture} acts={acts} />}
      {!node && !line && <Summary roots={roots} acts={acts} />}
    </aside>
  );
}

function Summary({ roots, acts }: { roots: Root[]; acts: PanelActs }) {
  const t = useT();
  const { first, others } = split(roots, 3);
  return (
    <>
      <h2>{t("graph.roots")}</h2>
      {roots.length === 0 && <p className="soft">{t("graph.rootsNone")}</p>}
      <div>
        {first.map((root) => (
          <CauseCard key={root.key} cause={root.cause}>
            <div className="row">
              <button type="button" onClick={() => acts.toRoot(root)}>
                {t("graph.toRoot")}
              </button>
              <span className="soft small">{root.hops === 0 ? t("graph.rootSelf") : t("graph.rootHops", { n: root.hops })}</span>
            </div>
          </CauseCard>
        ))}
      </div>
      {others.length > 0 && (
        <ul className="neighbours">
          {others.slice(0, 40).map((root) => (
            <li key={root.key}>
              <button type="button" className="plain" onClick={() => acts.toRoot(root)}>
                <StateMark state={root.cause.state} gate={root.cause.gate} />
                <span>
                  {root.cause.workflow}/{root.cause.job} {clock(root.cause.planTime)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {others.length > 40 && <p className="soft">{t("instance.left", { n: others.length - 40 })}</p>}
      <h3>{t("graph.legend")}</h3>
      <ul className="graph-legend">
        {(["blocking urgent", "blocking", "waiting-for", "satisfied"] as const).map((kind) => (
          <li key={kind}>
            <svg viewBox="0 0 40 8" aria-hidden="true">
              <path className={`strand ${kind}`} d="M0 4H40" />
            </svg>
            {t(
              kind === "blocking urgent"
                ? "graph.legendUrgent"
                : kind === "blocking"
                  ? "graph.legendBlocking"
                  : kind === "satisfied"
                    ? "graph.legendSatisfied"
                    : "graph.legendWaiting",
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function AboutInstance(props: { node: Extract<Drawn, { kind: "instance" }>; picture: Picture; at: string; acts: PanelActs }) {
  const { node, picture, at, acts } = props;
  const t = useT();
  const { item } = node;
  const { instance, forecast, planned } = item;
  const explained = useQuery({ ...explainedQuery(planned ? instance.id : item.key, at), enabled: planned });
  const ended = instance.endedAt ?? (instance.startedAt === undefined ? undefined : forecast.end);
  return (
    <>
      <div>
        <h2>
          {planned ? (
            <Link href={`/instances/${instance.id}`}>
              {instance.workflow}/{instance.job}
            </Link>
          ) : (
            <span>
              {instance.workflow}/{instance.job}
            </span>
          )}
        </h2>
        <span className="number">{clock(instance.planTime)}</span>{" "}
        <span className="soft small">
          {offset(instance.planTime)}
          {planned && ` · ${t("column.id")} ${instance.id}`}
        </span>
      </div>
      <div className="row">
        <StateMark state={planned ? stateOf(item) : undefined} gate={instance.gate} />
        {node.root !== "" && <span className={`flag still ${node.root}`}>{t("graph.root")}</span>}
      </div>
      <p>{instance.reason.text}</p>
      <p className="soft small">
        {instance.startedAt !== undefined && t("instance.forecastStarted", { at: clock(instance.startedAt) })}
        {instance.startedAt === undefined && forecast.start !== undefined && t("graph.expected", { at: clock(forecast.start) })}
        {ended !== undefined && (
          <>
            <br />
            {instance.endedAt !== undefined
              ? t("instance.forecastEnded", { at: clock(ended) })
              : t("graph.expectedEnd", { at: clock(ended) })}
          </>
        )}
      </p>
      <div className="row">
        {planned && (
          <>
            <Link className="button" href={`/instances/${instance.id}`}>
              {t("graph.page")}
            </Link>
            {instance.startedAt !== undefined && (
              <Link className="button" href={`/instances/${instance.id}?tab=log`}>
                {t("graph.log")}
              </Link>
            )}
          </>
        )}
        {picture.centre !== node.key && (
          <button type="button" onClick={() => acts.middle(item)}>
            {t("graph.middle")}
          </button>
        )}
        <button type="button" onClick={() => acts.toggleJob(`${instance.workflow}/${instance.job}`)}>
          {t("graph.together")}
        </button>
      </div>
      {explained.error && <ProblemView error={explained.error} />}
      {explained.data && at === "" && <Operations explanation={explained.data} />}
      <Beside node={node} picture={picture} acts={acts} />
    </>
  );
}

function AboutRange({ node, picture, acts }: { node: Extract<Drawn, { kind: "range" }>; picture: Picture; acts: PanelActs }) {
  const t = useT();
  const { edge, range } = node.wait;
  const all = node.shown >= Math.min(edge.count, mostMembers) || (node.shown === node.known && node.known > 0 && node.open === 0);
  const selector = `job:${edge.workflow}/${edge.job} time:${edge.first}..${edge.last}`;
  return (
    <>
      <h2>{nameOf(node, t)}</h2>
      <p className={rangeState(node)}>{rangeWords(node, t)}</p>
      <p className="soft">{t("graph.rangeMembers", { shown: node.shown, n: edge.count })}</p>
      <div className="row">
        {!all && (
          <button type="button" onClick={() => acts.toggleRange(range, true)}>
            {t("graph.rangeShow")}
          </button>
        )}
        {node.shown > 0 && (
          <button type="button" onClick={() => acts.toggleRange(range, false)}>
            {t("graph.rangeHide")}
          </button>
        )}
        <Link className="button" href={`/instances?q=${encodeURIComponent(selector)}`}>
          {t("graph.rangeList")}
        </Link>
      </div>
      <WaitFacts wait={node.wait} />
      <Beside node={node} picture={picture} acts={acts} />
    </>
  );
}

function AboutJob({ node, picture, acts }: { node: Extract<Drawn, { kind: "job" }>; picture: Picture; acts: PanelActs }) {
  const t = useT();
  return (
    <>
      <h2>
        {node.workflow}/{node.job}
      </h2>
      <p>{t("graph.jobCount", { n: node.items.length })}</p>
      <div className="row">
        <button type="button" onClick={() => acts.toggleJob(`${node.workflow}/${node.job}`)}>
          {t("graph.apart")}
        </button>
      </div>
      <ul className="neighbours">
        {node.items.slice(0, 100).map((item) => (
          <li key={item.key}>
            <StateMark state={item.planned ? stateOf(item) : undefined} />
            {item.planned ? (
              <Link href={`/instances/${item.key}`}>{clock(item.instance.planTime)}</Link>
            ) : (
              <span>{clock(item.instance.planTime)}</span>
            )}
          </li>
        ))}
      </ul>
      <Beside node={node} picture={picture} acts={acts} />
    </>
  );
}

function AboutLine({ line, picture, acts }: { line: Line; picture: Picture; acts: PanelActs }) {
  const t = useT();
  return (
    <>
      <h2>{t("graph.line")}</h2>
      <Ends keys={[line.to, line.from]} picture={picture} acts={acts} />
      {line.waits.length === 0 && <p>{t("graph.member")}</p>}
      {line.waits.slice(0, 20).map((wait) => (
        <WaitFacts key={wait.key} wait={wait} />
      ))}
    </>
  );
}

function WaitFacts({ wait }: { wait: Wait }) {
  const t = useT();
  const { edge } = wait;
  return (
    <dl className="facts">
      <dt>{t("graph.state")}</dt>
      <dd className={edge.satisfied ? "succeeded" : undefined}>{edge.text}</dd>
      <dt>{t("graph.rule")}</dt>
      <dd>{edge.pair ?? edge.rule}</dd>
      <dt>{t("graph.window")}</dt>
      <dd className="number">
        {t("graph.windowSpan", { from: beside(edge.window.from, edge.first), to: beside(edge.window.to, edge.first) })}
      </dd>
      {edge.count > 1 && (
        <>
          <dt>{t("graph.count.range")}</dt>
          <dd className="number">{t("graph.count.words", { n: edge.count, from: clock(edge.first), to: clock(edge.last) })}</dd>
        </>
      )}
      <dt>{t("graph.select")}</dt>
      <dd>{selectNeeds(edge.select, t)}</dd>
      <dt>{t("graph.onMissing")}</dt>
      <dd>{t(`graph.onMissing.${edge.onMissing}`)}</dd>
      <dt>{t("graph.onFailed")}</dt>
      <dd>{t(`graph.onFailed.${edge.onFailed}`)}</dd>
    </dl>
  );
}

/** Beside are the lines of a node, by which a keyboard gets to each of them too. */
function Beside({ node, picture, acts }: { node: Drawn; picture: Picture; acts: PanelActs }) {
  const t = useT();
  const sides = [
    { title: t("graph.waitsFor"), none: t("graph.waitsForNone"), lines: picture.lines.filter((line) => line.to === node.key), up: true },
    { title: t("graph.waiters"), none: t("graph.waitersNone"), lines: picture.lines.filter((line) => line.from === node.key), up: false },
  ];
  return sides.map((side) => (
    <section key={side.title}>
      <h3>{side.title}</h3>
      {side.lines.length === 0 && <p className="soft small">{side.none}</p>}
      <ul className="neighbours">
        {side.lines.slice(0, 50).map((line) => {
          const other = picture.nodes.get(side.up ? line.from : line.to);
          const edge = line.waits[0]?.edge;
          return (
            <li key={line.key}>
              {other && <NodeButton node={other} onChoose={() => acts.select(other.key)} />}
              {edge && (
                <button type="button" className="plain rule" onClick={() => acts.select(line.key)}>
                  {lineWords(edge, t)}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {side.lines.length > 50 && <p className="soft small">{t("instance.left", { n: side.lines.length - 50 })}</p>}
    </section>
  ));
}

function Ends({ keys, picture, acts }: { keys: string[]; picture: Picture; acts: PanelActs }) {
  return (
    <ul className="neighbours">
      {keys.map((key) => {
        const node = picture.nodes.get(key);
        return node && <li key={key}>{<NodeButton node={node} onChoose={() => acts.select(key)} />}</li>;
      })}
    </ul>
  );
}

function NodeButton({ node, onChoose }: { node: Drawn; onChoose: () => void }) {
  const t = useT();
  return (
    <button type="button" className="plain" onClick={onChoose}>
      {node.kind === "instance" && <StateMark state={node.item.planned ? stateOf(node.item) : undefined} />}
      <span>{nameOf(node, t)}</span>
      {node.root !== "" && <span className={`flag still ${node.root}`}>{t("graph.root")}</span>}
    </button>
  );
}
