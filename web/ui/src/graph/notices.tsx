import { useT } from "../i18n/language";
import type { Data } from "./data";
import { mostNodes, type Place } from "./state";

/** The Notices say what is not shown, and what to do about it. */
export function Notices(props: {
  data: Data;
  full: boolean;
  most: boolean; // as many were asked for as may be
  place: Place;
  up: number;
  nodes: number;
  failed: boolean;
  onChange: (patch: Partial<Place>) => void;
}) {
  const { data, full, most, place, up, nodes, failed, onChange } = props;
  const t = useT();
  const fewer = () => onChange({ up: Math.max(1, up - 1), down: Math.max(0, place.down - 1), expanded: [] });
  let text = "";
  if (nodes > mostNodes) text = t("graph.tooMany", { n: nodes, most: mostNodes });
  else if (failed) text = t("graph.layFailed");
  else if (full || (data.cut && most)) text = t("graph.cutMost", { n: data.items.size });
  else if (data.cut) text = t("graph.cut", { n: data.items.size, most: mostNodes });
  if (text === "") return null;
  return (
    <div className="notice row" role="status">
      <span className="grow">{text}</span>
      {data.cut && !most && (
        <button type="button" onClick={() => onChange({ limit: mostNodes })}>
          {t("graph.showMost", { most: mostNodes })}
        </button>
      )}
      {!failed && (
        <button type="button" onClick={fewer}>
          {t("graph.lessHops")}
        </button>
      )}
      {!place.jobs.includes("*") && !failed && (
        <button type="button" onClick={() => onChange({ jobs: ["*"], selected: "" })}>
          {t("graph.collapse")}
        </button>
      )}
      {!place.list && (
        <button type="button" onClick={() => onChange({ list: true })}>
          {t("graph.list")}
        </button>
      )}
    </div>
  );
}
