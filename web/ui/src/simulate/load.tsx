import type { Schemas } from "../api/client";
import { gateWord } from "../design/state";
import { useT } from "../i18n/language";
import type { Foresight } from "./foresight";
import type { Words } from "./words";

/** Load is how full the slots and pools are, and where the time goes, beside how it is without the changes. */
export function Load(props: { foresight: Foresight; usual: Foresight | undefined; words: Words; onChoose: (i: number) => void }) {
  const t = useT();
  const { foresight, usual, words } = props;
  const usage = foresight.answer.usage ?? [];
  const waiting = foresight.answer.waiting ?? [];
  const before = (one: Schemas["SimulatedUsage"]) => (usual?.answer.usage ?? []).find((other) => other.pool === one.pool);
  return (
    <>
      <table>
        <thead>
          <tr>
            <th>{t("simulate.column.place")}</th>
            <th>{t("simulate.column.peak")}</th>
            <th>{t("simulate.column.full")}</th>
          </tr>
        </thead>
        <tbody>
          {usage.map((one) => {
            const was = before(one);
            return (
              <tr key={one.pool ?? ""}>
                <td>{one.pool === undefined ? t("simulate.slotsOf") : t("simulate.poolOf", { name: one.pool })}</td>
                <td className="number">
                  <Was now={`${one.peak} / ${one.size}`} before={was && `${was.peak} / ${was.size}`} />
                </td>
                <td className="number">
                  <Was now={words.span(one.fullMs)} before={was && words.span(was.fullMs)} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {waiting.length === 0 ? (
        <p className="soft">{t("simulate.waitsNone")}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>{t("simulate.column.waits")}</th>
              <th>{t("simulate.column.total")}</th>
              <th>{t("simulate.column.longest")}</th>
            </tr>
          </thead>
          <tbody>
            {waiting.map((one) => {
              const was = (usual?.answer.waiting ?? []).find((other) => other.gate === one.gate);
              const longest = foresight.find(one.of);
              return (
                <tr key={one.gate}>
                  <td>{gateWord(one.gate, t)}</td>
                  <td className="number">
                    <Was now={words.span(one.totalMs)} before={usual && words.span(was?.totalMs ?? 0)} />
                    <div className="soft small">{t("simulate.checked", { n: one.instances })}</div>
                  </td>
                  <td className="number">
                    {words.span(one.longestMs)}
                    {longest >= 0 && (
                      <button type="button" className="plain wide-line small" onClick={() => props.onChoose(longest)}>
                        {words.title(longest)}
                      </button>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </>
  );
}

function Was({ now, before }: { now: string; before: string | undefined }) {
  const t = useT();
  return (
    <>
      {now}
      {before !== undefined && before !== now && <div className="soft small">{t("simulate.was", { value: before })}</div>}
    </>
  );
}
