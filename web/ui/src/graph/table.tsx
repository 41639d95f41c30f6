import { Link } from "wouter";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { clock } from "../parts/time";
import { type Data, type Item, stateOf } from "./data";
import type { Rooted } from "./draw";
import { lineWords } from "./words";

/** The Table is the same graph as the picture, for whoever reads rather than looks: every instance by its hops, with what it waits for. */
export function Table(props: {
  data: Data;
  roots: ReadonlyMap<string, Rooted>;
  selected: string;
  hits: ReadonlySet<string>;
  onSelect: (key: string) => void;
}) {
  const { data, roots, selected, hits, onSelect } = props;
  const t = useT();
  const waits = new Map<string, string[]>();
  for (const wait of data.waits.values()) waits.set(wait.to, [...(waits.get(wait.to) ?? []), wait.key]);
  const items = [...data.items.values()].sort((a, b) => a.hop - b.hop || a.instance.planTime.localeCompare(b.instance.planTime));
  return (
    <div className="graph-table">
      <table>
        <caption className="hidden">{t("graph.table")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("graph.column.hop")}</th>
            <th scope="col">{t("column.state")}</th>
            <th scope="col">{t("graph.name")}</th>
            <th scope="col">{t("graph.column.waits")}</th>
            <th scope="col">
              <span className="hidden">{t("graph.mark")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.key} className={item.key === selected ? "marked" : hits.has(item.key) ? "hit" : undefined}>
              <td className="soft hops">{hopWords(item.hop, t)}</td>
              <td>
                <StateMark state={item.planned ? stateOf(item) : undefined} gate={item.instance.gate} />
                {roots.has(item.key) && (
                  <div>
                    <span className={`flag still ${roots.get(item.key)}`}>{t("graph.root")}</span>
                  </div>
                )}
              </td>
              <th scope="row">
                <ItemName item={item} />
                <div className="number">{clock(item.instance.planTime)}</div>
              </th>
              <td>
                {(waits.get(item.key) ?? []).map((key) => {
                  const wait = data.waits.get(key);
                  return (
                    wait && (
                      <div key={key} className="wait">
                        {wait.edge.text}
                        <span className="soft small">{lineWords(wait.edge, t)}</span>
                      </div>
                    )
                  );
                })}
              </td>
              <td>
                <button type="button" className="small" onClick={() => onSelect(item.key)} aria-pressed={item.key === selected}>
                  {t("graph.mark")}
                  <span className="hidden">: {item.instance.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ItemName({ item }: { item: Item }) {
  const name = `${item.instance.workflow}/${item.instance.job}`;
  return item.planned ? <Link href={`/instances/${item.instance.id}`}>{name}</Link> : <span>{name}</span>;
}

function hopWords(hop: number, t: ReturnType<typeof useT>): string {
  if (hop === 0) return t("graph.hop.self");
  return hop < 0 ? t("graph.hop.up", { n: -hop }) : t("graph.hop.down", { n: hop });
}
