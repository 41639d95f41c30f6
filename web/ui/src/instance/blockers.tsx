import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { CauseName } from "./cause";

type Cause = Schemas["Cause"];

/** Blockers is the tree of what keeps an instance, down to the roots, which stand out. */
export function Blockers({ explanation }: { explanation: Schemas["Explanation"] }) {
  const t = useT();
  return (
    <>
      {explanation.dependencies
        .filter((wait) => (wait.causes ?? []).length > 0)
        .map((wait) => (
          <div key={wait.n}>
            <p className="soft">{wait.text}</p>
            <ul>
              {(wait.causes ?? []).map((cause) => (
                <Branch key={cause.name} cause={cause} />
              ))}
              {(wait.more ?? 0) > 0 && <li className="soft">{t("instance.left", { n: wait.more ?? 0 })}</li>}
            </ul>
          </div>
        ))}
    </>
  );
}

function Branch({ cause }: { cause: Cause }) {
  const t = useT();
  return (
    <li>
      <div className={cause.root ? "row rooted" : "row"}>
        <StateMark state={cause.state} gate={cause.gate} />
        <CauseName cause={cause} />
        {cause.root && <span className="soft">{cause.reason.text}</span>}
        {cause.again && <span className="soft small">{t("instance.again")}</span>}
        {cause.circle && <span className="failed">{t("instance.circle")}</span>}
      </div>
      {(cause.dependencies ?? []).map((wait) => (
        <ul key={`${wait.rule} ${wait.text}`}>
          {(wait.causes ?? []).map((up) => (
            <Branch key={up.name} cause={up} />
          ))}
          {(wait.more ?? 0) > 0 && <li className="soft">{t("instance.left", { n: wait.more ?? 0 })}</li>}
        </ul>
      ))}
    </li>
  );
}
