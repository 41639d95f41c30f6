import { type KeyboardEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLanguage, useT } from "../i18n/language";
import { type Day, isDay, month, plus, plusMonths, today } from "./days";

/** Calendar shows two months; a day is chosen by a click, or with the arrows and Enter. */
export function Calendar(props: { begin: Day; chosen: (day: Day) => "" | "in" | "end"; onChoose: (day: Day) => void }) {
  const t = useT();
  const { language } = useLanguage();
  const now = today();
  const [at, setAt] = useState(() => (isDay(props.begin) ? props.begin : now)); // the day that has the focus
  const [left, setLeft] = useState(() => plusMonths(`${at.slice(0, 7)}-01`, at.slice(0, 7) === now.slice(0, 7) ? -1 : 0));
  const place = useRef<HTMLDivElement>(null);
  const months = [left, plusMonths(left, 1)];
  const shown = months.some((one) => one.slice(0, 7) === at.slice(0, 7)) ? at : left;
  const words = new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
  const full = new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", { dateStyle: "long", timeZone: "UTC" });
  const names = new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", { weekday: "narrow", timeZone: "UTC" });
  const go = (day: Day) => {
    // At once, so that the next key, however quickly it follows, is that of the day which it moved to.
    flushSync(() => {
      setAt(day);
      const first = `${day.slice(0, 7)}-01`;
      if (first < left) setLeft(first);
      else if (first > plusMonths(left, 1)) setLeft(plusMonths(first, -1));
    });
    place.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, (day: Day) => Day> = {
      ArrowLeft: (day) => plus(day, -1),
      ArrowRight: (day) => plus(day, 1),
      ArrowUp: (day) => plus(day, -7),
      ArrowDown: (day) => plus(day, 7),
      PageUp: (day) => plusMonths(day, -1),
      PageDown: (day) => plusMonths(day, 1),
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    go(step(shown));
  };
  return (
    <div className="calendar" ref={place}>
      <div className="row">
        <button type="button" className="plain" aria-label={t("wizard.monthBefore")} onClick={() => setLeft(plusMonths(left, -1))}>
          ‹
        </button>
        <span className="grow" />
        <button type="button" className="plain" aria-label={t("wizard.monthAfter")} onClick={() => setLeft(plusMonths(left, 1))}>
          ›
        </button>
      </div>
      <div className="months">
        {months.map((first) => (
          <table key={first} aria-label={words.format(new Date(`${first}T00:00:00Z`))}>
            <caption>{words.format(new Date(`${first}T00:00:00Z`))}</caption>
            <thead>
              <tr>
                {(month(first)[1] ?? []).map((day) => (
                  <th key={day} scope="col">
                    {names.format(new Date(`${day}T00:00:00Z`))}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody onKeyDown={move}>
              {month(first).map((week) => (
                <tr key={week[0]}>
                  {week.map((day) => {
                    if (day.slice(0, 7) !== first.slice(0, 7)) return <td key={day} />;
                    const chosen = props.chosen(day);
                    return (
                      <td key={day} className={chosen}>
                        <button
                          type="button"
                          data-day={day}
                          className={day === now ? "now" : undefined}
                          aria-label={full.format(new Date(`${day}T00:00:00Z`))}
                          aria-pressed={chosen !== ""}
                          tabIndex={day === shown ? 0 : -1}
                          onClick={() => {
                            setAt(day);
                            props.onChoose(day);
                          }}
                        >
                          {Number(day.slice(8))}
                        </button>
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </div>
  );
}
