import { useState } from "react";
import { useT } from "../i18n/language";
import { Calendar } from "./calendar";
import { compress, expand, isDay, plus, plusMonths, today } from "./days";
import { Line, Tick, Wrong } from "./field";
import { dayCount, type Field, type Form, selections } from "./form";

/** DaysStep asks of which days, and what of them. */
export function DaysStep(props: { form: Form; onChange: (form: Form) => void; wrong: (field: Field) => string[] }) {
  const t = useT();
  const { form, onChange, wrong } = props;
  const set = (part: Partial<Form>) => onChange({ ...form, ...part });
  const [half, setHalf] = useState(false); // the next click on the calendar is the end of the range
  const dates = expand(form.dates) ?? [];
  const days = dayCount(form);
  const chosen = (day: string): "" | "in" | "end" => {
    if (form.mode === "dates") return dates.includes(day) ? "end" : "";
    if (day === form.from || day === form.to) return "end";
    return isDay(form.from) && isDay(form.to) && day > form.from && day < form.to ? "in" : "";
  };
  const choose = (day: string) => {
    if (form.mode === "dates") {
      set({ dates: compress(dates.includes(day) ? dates.filter((one) => one !== day) : [...dates, day]) });
    } else if (half && day >= form.from) {
      set({ to: day });
      setHalf(false);
    } else {
      set({ from: day, to: day });
      setHalf(true);
    }
  };
  const now = today();
  const first = `${now.slice(0, 7)}-01`;
  const usual: ["wizard.yesterday" | "wizard.lastDays" | "wizard.thisMonth" | "wizard.lastMonth", string, string][] = [
    ["wizard.yesterday", plus(now, -1), plus(now, -1)],
    ["wizard.lastDays", plus(now, -7), plus(now, -1)],
    ["wizard.thisMonth", first, now],
    ["wizard.lastMonth", plusMonths(first, -1), plus(first, -1)],
  ];
  return (
    <div className="columns">
      <section className="card stack">
        <div className="row">
          <h2 className="grow">{t("wizard.days")}</h2>
          <span className="soft" role="status">
            {days !== null && days > 0 && t("wizard.dayCount", { n: days })}
          </span>
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form */}
        <div className="row" role="group" aria-label={t("wizard.days")}>
          <button type="button" aria-pressed={form.mode === "range"} onClick={() => set({ mode: "range" })}>
            {t("wizard.range")}
          </button>
          <button
            type="button"
            aria-pressed={form.mode === "dates"}
            onClick={() =>
              set({
                mode: "dates",
                dates: form.dates || (isDay(form.from) && isDay(form.to) ? compress(expand(`${form.from}..${form.to}`) ?? []) : ""),
              })
            }
          >
            {t("wizard.dates")}
          </button>
          {form.mode === "range" &&
            usual.map(([key, from, to]) => (
              <button type="button" className="plain" key={key} onClick={() => set({ from, to })}>
                {t(key)}
              </button>
            ))}
        </div>
        {form.mode === "range" ? (
          <div className="row top">
            <Line label={t("wizard.from")} type="date" value={form.from} onChange={(from) => set({ from })} wrong={wrong("from")} />
            <Line label={t("wizard.to")} type="date" value={form.to} onChange={(to) => set({ to })} wrong={wrong("to")} />
          </div>
        ) : (
          <Line
            label={t("wizard.dates")}
            hint={t("wizard.datesHint")}
            placeholder="2026-10-01,2026-10-15..17"
            value={form.dates}
            onChange={(typed) => set({ dates: typed })}
            wrong={wrong("dates")}
          />
        )}
        <Calendar begin={form.mode === "range" ? form.from : (dates[0] ?? "")} chosen={chosen} onChoose={choose} />
        <p className="soft small">{t("wizard.daysHint")}</p>
      </section>
      <section className="card stack">
        <h2>{t("wizard.select")}</h2>
        {selections.map((word) => (
          <Tick
            key={word}
            label={t(`wizard.select.${word}`)}
            hint={t(`wizard.selectHint.${word}`)}
            checked={form.select.includes(word)}
            onChange={(checked) => set({ select: selections.filter((one) => (one === word ? checked : form.select.includes(one))) })}
          />
        ))}
        <Wrong list={wrong("select")} />
        <p className="soft small">{t("wizard.selectOpen")}</p>
      </section>
    </div>
  );
}
