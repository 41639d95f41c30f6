import { useMemo } from "react";
import { useT } from "../i18n/language";
import { clock } from "../parts/time";
import { compare, type Said } from "./planfile";
import type { Plan } from "./queries";
import { reasonWord } from "./reason";

/** Compared shows what two plans differ in: their counts, and the instances of which they say something else. */
export function Compared({ then, now }: { then: Plan; now: Plan }) {
  const t = useT();
  const difference = useMemo(() => compare(then, now), [then, now]);
  const why = (row: Said | null) =>
    row === null
      ? t("plan.absent")
      : row.reasons !== undefined
        ? Object.entries(row.reasons)
            .map(([word, n]) => `${n.toLocaleString("en")} ${reasonWord(word, t)}`)
            .join(", ")
        : `${t(row.in ? "plan.in" : "plan.out")}: ${reasonWord(row.why, t)}${row.text === undefined ? "" : ` · ${row.text}`}`;
  const counts: [string, number, number][] = [
    [t("plan.in"), ...difference.in],
    [t("plan.out"), ...difference.out],
    ...difference.why.map(([word, was, is]): [string, number, number] => [reasonWord(word, t), was, is]),
    ...difference.jobs,
  ];
  if (difference.changes.length === 0) return <p>{t("wizard.unchanged")}</p>;
  return (
    <div className="columns">
      <table>
        <thead>
          <tr>
            <th scope="col">{t("plan.counts")}</th>
            <th scope="col" className="end">
              {t("plan.then")}
            </th>
            <th scope="col" className="end">
              {t("plan.now")}
            </th>
          </tr>
        </thead>
        <tbody>
          {counts.map(([word, was, is], n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a job may be called as a reason is
            <tr key={n} className={was === is ? "soft" : ""}>
              <td>{word}</td>
              <td className="end number">{was}</td>
              <td className="end number">{was === is ? is : <strong>{is}</strong>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="compared">
        <table>
          <thead>
            <tr>
              <th scope="col">{t("instance.title")}</th>
              <th scope="col">{t("plan.then")}</th>
              <th scope="col">{t("plan.now")}</th>
            </tr>
          </thead>
          <tbody>
            {difference.changes.map((change) => (
              <tr key={`${change.job}@${change.planTime}`}>
                <td>
                  {change.job}{" "}
                  <span className="number">
                    {change.to === undefined || change.to === change.planTime
                      ? clock(change.planTime)
                      : t("plan.range", { from: clock(change.planTime), to: clock(change.to), n: (change.n ?? 0).toLocaleString("en") })}
                  </span>
                </td>
                <td>{why(change.was)}</td>
                <td>{why(change.is)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {difference.more > 0 && <p className="soft">{t("operations.more", { n: difference.more })}</p>}
      </div>
    </div>
  );
}
