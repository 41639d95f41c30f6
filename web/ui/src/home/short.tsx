import { Link } from "wouter";
import type { Schemas } from "../api/client";
import { StateMark } from "../design/state";
import { useT } from "../i18n/language";
import { between, clock } from "../parts/time";

/** Short is a short list of instances. */
export function Short({ items, none }: { items: Schemas["Instance"][]; none: string }) {
  const t = useT();
  if (items.length === 0) return <p className="soft">{none}</p>;
  return (
    <table>
      <tbody>
        {items.map((one) => (
          <tr key={one.id}>
            <td>
              <StateMark state={one.state} />
            </td>
            <td>
              <Link href={`/instances/${one.id}`}>
                {one.workflow}/{one.job} <span className="number nowrap">{clock(one.planTime)}</span>
              </Link>
            </td>
            <td className="soft number end nowrap">{between(one.startedAt, one.endedAt, t)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
