import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { Command } from "../parts/command";
import { clock } from "../parts/time";
import { needsSomebody } from "./needs";
import { isOperation, type Operation } from "./operation";

type Cause = Schemas["Cause"];

/** CauseName names an instance that is waited for; one that is planned leads to its page. */
export function CauseName({ cause }: { cause: Cause }) {
  const words = `${cause.workflow}/${cause.job} ${clock(cause.planTime)}`;
  return cause.instance === undefined ? <span>{words}</span> : <Link href={`/instances/${cause.instance}`}>{words}</Link>;
}

/** CauseCard is a root cause with what would help. */
export function CauseCard({
  cause,
  needs = needsSomebody(cause),
  children,
}: {
  cause: Cause;
  needs?: boolean;
  children?: React.ReactNode;
}) {
  const t = useT();
  const operation = helping(cause.help);
  return (
    <div className={needs ? "cause stack" : "cause goes-on stack"}>
      <div className="row">
        <StateMark state={cause.state} gate={cause.gate} />
        <CauseName cause={cause} />
      </div>
      <p>{cause.reason.text}</p>
      {cause.help !== undefined && (
        <div>
          <span className="soft small">{t("instance.help")}</span>
          <div className="row">
            {operation !== undefined && cause.instance !== undefined && (
              <Link className="button" href={`/instances/${cause.instance}?do=${operation}`}>
                {t(`op.${operation}`)}…
              </Link>
            )}
            <Command text={cause.help} />
          </div>
        </div>
      )}
      {children}
    </div>
  );
}

/** helping is the operation that the command which would help carries out. */
function helping(help: string | undefined): Operation | undefined {
  const word = help?.split(" ")[1] ?? "";
  return isOperation(word) ? word : undefined;
}
