import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { Loaded, ProblemView } from "../parts/problem";
import { clock } from "../parts/time";
import { toast } from "../shell/toasts";
import { sizes } from "./box";
import { Canvas, type Sight } from "./canvas";
import type { Data, Item } from "./data";
import { draw, jobOf, type Picture, shapeOf } from "./draw";
import { NodeMenu } from "./node-menu";
import { Notices } from "./notices";
import { Panel } from "./panel";
import { hopsTo, type Root, rootedOf, rootsOf } from "./roots";
import { mostExpanded, mostHops, mostNodes, type Place, readPlace, toggled, writePlace } from "./state";
import { Table } from "./table";
import { Toolbar } from "./toolbar";
import { useGraph } from "./use-graph";
import { useLayout } from "./use-layout";
import { nameOf } from "./words";

type Explanation = Schemas["Explanation"];

/** Around shows what is around an instance, as a picture or as a list, with what is marked beside it. The address holds all that was chosen. */
export function Around({ who, explanation }: { who: string; explanation: Explanation }) {
  const [search, setSearch] = useAddress();
  const place = useMemo(() => readPlace(search), [search]);
  const roots = useMemo(() => rootsOf(explanation), [explanation]);
  const [hops] = useState(() => hopsTo(roots)); // what comes to pass while somebody looks does not change how much is shown
  const up = place.up ?? hops;
  const change = useCallback(
    (patch: Partial<Place>) => setSearch((before) => writePlace(before, { ...readPlace(before), ...patch }), { replace: true }),
    [setSearch],
  );
  const { query, failed, loading, most } = useGraph(who, place, up, roots);
  return (
    <>
      <Title explanation={explanation} place={place} onNow={() => change({ at: "" })} />
      {failed && <ProblemView error={failed} />}
      <Loaded query={query}>
        {({ data, full }) => (
          <Shown data={data} full={full} most={most} place={place} up={up} roots={roots} loading={loading} onChange={change} />
        )}
      </Loaded>
    </>
  );
}

function Title({ explanation, place, onNow }: { explanation: Explanation; place: Place; onNow: () => void }) {
  const t = useT();
  const { instance, planned } = explanation;
  const name = `${instance.workflow}/${instance.job}`;
  return (
    <header className="row">
      <h1>
        {planned ? <Link href={`/instances/${instance.id}`}>{name}</Link> : name} <span className="number">{clock(instance.planTime)}</span>
      </h1>
      <StateMark state={planned ? instance.state : undefined} gate={instance.gate} />
      <span className="soft grow ellipsis" title={planned ? instance.reason.text : undefined}>
        {planned ? instance.reason.text : t("instance.unplanned")}
      </span>
      {place.at !== "" && (
        <>
          <span className="soft">{t("graph.asOf", { at: clock(explanation.at) })}</span>
          <button type="button" onClick={onNow}>
            {t("graph.now")}
          </button>
        </>
      )}
    </header>
  );
}

interface ShownProps {
  data: Data;
  full: boolean;
  most: boolean;
  place: Place;
  up: number;
  roots: Root[];
  loading: boolean;
  onChange: (patch: Partial<Place>) => void;
}

function Shown({ data, full, most, place, up, roots, loading, onChange }: ShownProps) {
  const t = useT();
  const [, go] = useLocation();
  const rooted = useMemo(() => rootedOf(roots), [roots]);
  const jobs = useMemo(() => countJobs(data), [data]);
  const picture = useMemo(() => {
    const chosen = new Set(place.jobs);
    const collapsed = (job: string) => chosen.has(job) || (chosen.has("*") && (jobs.get(job) ?? 0) > 1);
    return draw(data, { open: new Set(place.open), shut: new Set(place.shut), collapsed, roots: rooted });
  }, [data, place.open, place.shut, place.jobs, rooted, jobs]);
  const drawable = picture.nodes.size <= mostNodes;
  const nodes = useMemo(() => [...picture.nodes.values()].map((node) => ({ key: node.key, ...sizes[node.kind] })), [picture]);
  const layout = useLayout(
    useMemo(() => shapeOf(picture), [picture]),
    nodes,
    picture.lines,
    drawable && !place.list,
  );

  const sight = useRef<Sight | null>(null);
  const onSight = useCallback((next: Sight) => {
    sight.current = next;
  }, []);
  const [wanted, setWanted] = useState(""); // a node that is to be gone to as soon as it is drawn
  const { arrangement, pending } = layout;
  useEffect(() => {
    if (wanted === "" || pending || !arrangement?.places.has(wanted)) return;
    sight.current?.show(wanted, true);
    setWanted("");
  }, [wanted, pending, arrangement]);

  const [menu, setMenu] = useState<{ key: string; x: number; y: number } | null>(null);
  const acts = useMemo(() => {
    const middle = (item: Item) => go(item.planned ? `/instances/${item.key}/graph` : `/graph?i=${encodeURIComponent(item.key)}`);
    const toggleRange = (range: string, show: boolean) =>
      onChange({
        open: show ? [...new Set([...place.open, range])] : place.open.filter((one) => one !== range),
        shut: show ? place.shut.filter((one) => one !== range) : [...new Set([...place.shut, range])],
      });
    const toggleJob = (job: string) =>
      onChange({
        selected: "",
        jobs: place.jobs.includes("*") ? [...jobs].flatMap(([one, n]) => (n > 1 && one !== job ? [one] : [])) : toggled(place.jobs, job),
      });
    return {
      select: (key: string) => onChange({ selected: key }),
      menu: (key: string, x: number, y: number) => {
        onChange({ selected: key });
        setMenu({ key, x, y });
      },
      expand: (key: string, way: "up" | "down") => {
        if (place.expanded.length >= mostExpanded) return toast({ text: t("graph.expandedMost", { n: mostExpanded }), bad: true });
        if (place.expanded.some((one) => one.key === key && one.way === way)) return;
        onChange({ expanded: [...place.expanded, { key, way }], selected: key });
      },
      open: (key: string) => {
        const node = picture.nodes.get(key);
        if (node?.kind === "instance") node.item.planned ? go(`/instances/${key}`) : middle(node.item);
        else if (node?.kind === "range") toggleRange(node.wait.range, node.shown === 0 || !place.open.includes(node.wait.range));
        else if (node?.kind === "job") toggleJob(jobOf(node));
      },
      toRoot: (root: Root) => {
        const item = data.items.get(root.key);
        onChange({
          selected: root.key,
          shut: [],
          list: false,
          jobs: item && (place.jobs.includes("*") || place.jobs.includes(jobOf(item.instance))) ? [] : place.jobs,
          ...(item ? {} : { up: Math.min(mostHops, Math.max(up, root.hops)) }),
        });
        setWanted(root.key);
      },
      middle,
      toggleRange,
      toggleJob,
    };
  }, [data, picture, place, jobs, up, go, onChange, t]);

  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const hits = useMemo(() => find(picture, words, t), [picture, words, t]);
  const hitKeys = useMemo(() => new Set(hits), [hits]);
  const next = (by: number) => {
    if (hits.length === 0) return;
    const to = hits.includes(place.selected) ? (at + by + hits.length) % hits.length : Math.min(at, hits.length - 1);
    setAt(to);
    onChange({ selected: hits[to] ?? "" });
    sight.current?.show(hits[to] ?? "", false);
  };
  const first = roots.find((root) => root.hops > 0);
  return (
    <>
      <Toolbar
        up={up}
        down={place.down}
        onHops={(way, n) => onChange(way === "up" ? { up: n } : { down: n })}
        collapsed={place.jobs.includes("*")}
        onCollapse={() => onChange({ jobs: place.jobs.includes("*") ? [] : ["*"], selected: "" })}
        words={words}
        onWords={(text) => {
          setWords(text);
          setAt(0);
        }}
        found={hits.length}
        at={at}
        onNext={next}
        list={place.list}
        onList={(list) => onChange({ list })}
      >
        {first && (
          <button
            type="button"
            className={rooted.get(first.key) === "urgent" ? "to-root urgent" : "to-root"}
            onClick={() => acts.toRoot(first)}
          >
            {t("graph.toRoot")}
          </button>
        )}
      </Toolbar>
      <Notices
        data={data}
        full={full}
        most={most}
        place={place}
        up={up}
        nodes={picture.nodes.size}
        failed={layout.failed}
        onChange={onChange}
      />
      <div className="around">
        {place.list ? (
          <Table data={data} roots={rooted} selected={place.selected} hits={hitKeys} onSelect={acts.select} />
        ) : drawable && arrangement ? (
          <Canvas picture={picture} arrangement={arrangement} selected={place.selected} hits={hitKeys} acts={acts} onSight={onSight} />
        ) : (
          <div className="canvas empty">{drawable && !layout.failed && <p className="soft">{t("graph.laying")}</p>}</div>
        )}
        <span className={place.list ? "hidden" : "soft small count-words"} aria-live="polite">
          {pending || loading ? t("graph.laying") : countWords(picture, t)}
        </span>
        <Panel picture={picture} selected={place.selected} roots={roots} at={place.at} acts={acts} />
      </div>
      {menu && <NodeMenu node={menu.key} x={menu.x} y={menu.y} picture={picture} at={place.at} acts={acts} onClose={() => setMenu(null)} />}
    </>
  );
}

function countJobs(data: Data): Map<string, number> {
  const jobs = new Map<string, number>();
  for (const item of data.items.values()) jobs.set(jobOf(item.instance), (jobs.get(jobOf(item.instance)) ?? 0) + 1);
  return jobs;
}

/** countWords says how much the picture shows. A range stands for instances of its own, which are not counted. */
function countWords(picture: Picture, t: ReturnType<typeof useT>): string {
  let [n, ranges] = [0, 0];
  for (const node of picture.nodes.values()) {
    n += node.kind === "instance" ? 1 : node.kind === "job" ? node.items.length : 0;
    ranges += node.kind === "range" ? 1 : 0;
  }
  return t(ranges > 0 ? "graph.countRanges" : "graph.count", { n, ranges, lines: picture.lines.length });
}

/** find lists the nodes in whose names, or ids, the words are. */
function find(picture: Picture, words: string, t: ReturnType<typeof useT>): string[] {
  const asked = words.trim().toLowerCase();
  if (asked === "") return [];
  return [...picture.nodes.values()]
    .filter((node) => node.key === asked || nameOf(node, t).toLowerCase().includes(asked))
    .map((node) => node.key);
}
