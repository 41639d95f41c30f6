import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { incidentQuery } from "../admin/queries";
import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { known, useT } from "../i18n/language";
import { Act } from "../parts/act";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { between, clock, clocks } from "../parts/time";
import { Acknowledge } from "./acknowledge";
import { Deliveries } from "./deliveries";
import { IncidentState, incidentState } from "./state";

type Detail = Schemas["IncidentDetail"];

/** IncidentPage is one root cause of trouble: where it comes from, what belongs to it, and who was told. */
export default function IncidentPage() {
  const { id } = useParams<{ id: string }>();
  const query = useQuery(incidentQuery(id));
  return <Loaded query={query}>{(detail) => <Shown detail={detail} />}</Loaded>;
}

function Shown({ detail }: { detail: Detail }) {
  const t = useT();
  const [search, setSearch] = useAddress();
  const state = incidentState(detail);
  return (
    <>
      <header className="stack">
        <div className="row">
          <h1 className="grow">{detail.title}</h1>
          <IncidentState incident={detail} />
          {state === "open" && (
            <Act needs="operator" className="primary" onClick={() => setSearch({ do: "ack" }, { replace: true })}>
              {t("incident.ack")}…
            </Act>
          )}
        </div>
        <p>{detail.reason.text}</p>
      </header>
      <div className="grid">
        <Facts detail={detail} />
        <section className="card">
          <h2>{t("incident.told")}</h2>
          {(detail.deliveries ?? []).length === 0 ? (
            <p className="soft">{t("incident.toldNone")}</p>
          ) : (
            <Deliveries items={detail.deliveries ?? []} />
          )}
        </section>
      </div>
      <Members detail={detail} />
      {state === "open" && search.get("do") === "ack" && <Acknowledge id={detail.id} onClose={() => setSearch({}, { replace: true })} />}
    </>
  );
}

/** Facts say where it comes from. What ended well, though late, is the cause of nothing: it is no root. */
function Facts({ detail }: { detail: Detail }) {
  const t = useT();
  return (
    <section className="card">
      <dl className="facts">
        <dt>{t(detail.kind === "ended-late" ? "incident.late" : "incident.root")}</dt>
        <dd>
          <Link href={`/instances/${detail.root.id}`}>
            {detail.root.workflow}/{detail.root.job} {clock(detail.root.planTime)}
          </Link>
          <br />
          <span className="soft small">{t("incident.look")}</span>
        </dd>
        <dt>{t("incident.opened")}</dt>
        <dd className="number">{clock(detail.openedAt)}</dd>
        {detail.closedAt !== undefined && (
          <>
            <dt>{t("incident.closed")}</dt>
            <dd>
              <span className="number">{clock(detail.closedAt)}</span>{" "}
              <span className="soft">{t("incident.after", { span: between(detail.openedAt, detail.closedAt, t) })}</span>
            </dd>
          </>
        )}
        <dt>{t("incident.trouble")}</dt>
        <dd className="number">{t("incident.troubleOf", { open: detail.open, n: detail.trouble })}</dd>
        <dt>{t("incident.blocked")}</dt>
        <dd className="number">{detail.blocked}</dd>
        {detail.acknowledgedBy !== undefined && (
          <>
            <dt>{t("incident.known")}</dt>
            <dd>
              {detail.acknowledgedBy} <span className="soft number">{clock(detail.acknowledgedAt)}</span>
            </dd>
          </>
        )}
        {detail.note !== undefined && (
          <>
            <dt>{t("incident.note")}</dt>
            <dd>{detail.note}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Members({ detail }: { detail: Detail }) {
  const t = useT();
  const members = detail.members ?? [];
  const more = detail.trouble + detail.blocked - members.length;
  const since = clocks(members.map((one) => one.since));
  return (
    <section className="card">
      <h2>{t("incident.members")}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("column.job")}</th>
            <th scope="col">{t("column.kind")}</th>
            <th scope="col">{t("column.state")}</th>
            <th scope="col">{t("column.reason")}</th>
            <th scope="col">{t("incident.opened")}</th>
          </tr>
        </thead>
        <tbody>
          {members.map((one) => (
            <tr key={one.id}>
              <td>
                <Link href={`/instances/${one.id}`}>
                  {one.workflow}/{one.job} {clock(one.planTime)}
                </Link>
              </td>
              <td className="tight">{known(`kindOf.${one.kind}`) ? t(`kindOf.${one.kind}`) : one.kind}</td>
              <td>{one.state === undefined ? <span className="soft">{t("incident.gone")}</span> : <StateMark state={one.state} />}</td>
              <td className="soft">{one.reason?.text}</td>
              <td className="number tight">{since(one.since)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {members.length >= 100 && more > 0 && <p className="soft">{t("incident.membersMore", { n: more })}</p>}
    </section>
  );
}
