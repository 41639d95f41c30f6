import { useId, useMemo } from "react";
import type { Schemas } from "../api/client";
import { useT } from "../i18n/language";
import { Tick, Wrong } from "./field";
import type { Field, Form } from "./form";
import { farthest, nameOf, strangers, takeable, taken, toggled, type Way } from "./scope";

/** Around takes in what the chosen jobs wait for and what waits for them: so many steps, all, or job by job. */
export function Around(props: {
  data: Schemas["JobsAround"];
  form: Form;
  onChange: (form: Form) => void;
  wrong: (field: Field) => string[];
}) {
  const t = useT();
  const { data, form, onChange, wrong } = props;
  return (
    <>
      {data.more === true && <p className="soft">{t("wizard.aroundMore", { n: data.nodes.length })}</p>}
      <OneWay
        way="up"
        nodes={data.nodes}
        text={form.upstream}
        wrong={wrong("upstream")}
        onChange={(upstream) => onChange({ ...form, upstream })}
      />
      <OneWay
        way="down"
        nodes={data.nodes}
        text={form.downstream}
        wrong={wrong("downstream")}
        onChange={(downstream) => onChange({ ...form, downstream })}
      />
    </>
  );
}

function OneWay(props: { way: Way; nodes: Schemas["JobNode"][]; text: string; wrong: string[]; onChange: (text: string) => void }) {
  const t = useT();
  const id = useId();
  const { way, nodes, text, onChange } = props;
  const steps = farthest(nodes, way);
  const list = useMemo(
    () => nodes.filter((node) => (node[way] ?? 0) > 0).sort((a, b) => (a[way] ?? 0) - (b[way] ?? 0) || nameOf(a).localeCompare(nameOf(b))),
    [nodes, way],
  );
  const names = useMemo(() => taken(nodes, way, text), [nodes, way, text]);
  const listed = text !== "" && text !== "all" && !/^\d+$/.test(text);
  const lost = strangers(nodes, way, text);
  return (
    <div className="stack way">
      <div className="row">
        <h3 id={`${id}-title`}>{t(way === "up" ? "wizard.upstream" : "wizard.downstream")}</h3>
        <span className="grow" />
        {steps > 0 || text !== "" ? (
          <select
            aria-labelledby={`${id}-title`}
            value={listed ? "listed" : text === "0" ? "" : text}
            onChange={(event) => onChange(event.target.value === "listed" ? [...names].join(",") : event.target.value)}
          >
            <option value="">{t("wizard.none")}</option>
            {Array.from({ length: Math.min(9, Math.max(steps, /^\d+$/.test(text) ? Number(text) : 0)) }, (_, n) => String(n + 1)).map(
              (n) => (
                <option key={n} value={n}>
                  {t("wizard.steps", { n })}
                </option>
              ),
            )}
            {/^\d{2,}$/.test(text) && <option value={text}>{t("wizard.steps", { n: text })}</option>}
            <option value="all">{t("wizard.all")}</option>
            <option value="listed" disabled={!listed}>
              {t("wizard.listed", { n: names.size })}
            </option>
          </select>
        ) : (
          <span className="soft">{t(way === "up" ? "wizard.upstreamNone" : "wizard.downstreamNone")}</span>
        )}
      </div>
      <Wrong list={[...props.wrong, ...(lost.length > 0 ? [t("wizard.strangers", { jobs: lost.join(", ") })] : [])]} />
      {list.length > 0 && (
        <ul className="ticks" aria-labelledby={`${id}-title`}>
          {list.slice(0, 300).map((node) => (
            <li key={nameOf(node)} className={`hop-${Math.min(6, node[way] ?? 1)}`}>
              <Tick
                label={nameOf(node)}
                checked={names.has(nameOf(node))}
                disabled={!takeable(node)}
                onChange={() => onChange(toggled(nodes, way, text, nameOf(node)))}
              >
                <span className="soft small">
                  {node.manual ? t("wizard.manual") : node.disabled ? t("jobs.disabled") : t("wizard.away", { n: node[way] ?? 0 })}
                </span>
              </Tick>
            </li>
          ))}
          {list.length > 300 && <li className="soft small">{t("operations.more", { n: list.length - 300 })}</li>}
        </ul>
      )}
    </div>
  );
}
