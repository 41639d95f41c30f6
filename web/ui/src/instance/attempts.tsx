import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { between, clock } from "../parts/time";

/** Attempts lists every execution, of which one is chosen to show its log. */
export function Attempts(props: { items: Schemas["Attempt"][]; chosen: string; onChoose: (id: string) => void }) {
  const t = useT();
  const several = props.items.some((one) => one.run !== props.items[0]?.run);
  const outputs = Object.entries(props.items.find((one) => one.id === props.chosen)?.outputs ?? {});
  return (
    <>
      <ul className="row">
        {props.items.map((one) => (
          <li key={one.id}>
            <button type="button" aria-pressed={one.id === props.chosen} onClick={() => props.onChoose(one.id)}>
              <StateMark state={one.outcome ?? "running"} />
              <span>
                {several && `${t("runs.one", { n: one.run ?? 1 })} · `}
                {t("instance.attempt", { n: one.number })}
                {one.step !== undefined && ` · ${one.step}`}
                {one.errorAction && ` · ${t("instance.errorAction")}`}
              </span>
              <span className="soft small">
                {clock(one.startedAt)} {between(one.startedAt, one.endedAt, t)} {one.text}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {outputs.length > 0 && (
        <p>
          <span className="soft">{t("instance.outputs")}</span>{" "}
          {outputs.map(([name, value]) => (
            <code key={name}>
              {name}={value}{" "}
            </code>
          ))}
        </p>
      )}
    </>
  );
}
