import { type FormEvent, useEffect, useState } from "react";
import { useT } from "../i18n/language";
import { type Place, shifted } from "./place";

/** DayBar chooses the day: its date, the days beside it, its zone. */
export function DayBar(props: {
  date: string;
  zone: string;
  zones: string[];
  onDate: (date: string) => void;
  onZone: (zone: string) => void;
}) {
  const t = useT();
  const { date, onDate } = props;
  return (
    <div className="row board-days">
      <button type="button" aria-label={t("board.previous")} title={`${t("board.previous")} ([)`} onClick={() => onDate(shifted(date, -1))}>
        ‹
      </button>
      <input
        type="date"
        aria-label={t("board.date")}
        value={date}
        onChange={(event) => event.target.value !== "" && onDate(event.target.value)}
      />
      <button type="button" aria-label={t("board.next")} title={`${t("board.next")} (])`} onClick={() => onDate(shifted(date, 1))}>
        ›
      </button>
      <button type="button" title={`${t("board.today")} (t)`} onClick={() => onDate("today")}>
        {t("board.today")}
      </button>
      <select aria-label={t("board.zone")} value={props.zone} onChange={(event) => props.onZone(event.target.value)}>
        {props.zones.map((zone) => (
          <option key={zone} value={zone}>
            {zone}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Find is the search of the board; what is typed counts when it is sent. */
export function Find({ find, onFind }: { find: string; onFind: (find: string) => void }) {
  const t = useT();
  const [typed, setTyped] = useState(find);
  useEffect(() => setTyped(find), [find]);
  return (
    <search className="grow">
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          onFind(typed.trim());
        }}
      >
        <input
          type="search"
          className="mono"
          data-search
          spellCheck={false}
          aria-label={t("board.search")}
          placeholder={t("board.hint")}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            if (event.target.value === "") onFind("");
          }}
        />
      </form>
    </search>
  );
}

/** Tools change how the day is shown. */
export function Tools({ place, change, zoom }: { place: Place; change: (next: Partial<Place>) => void; zoom: (by: number) => void }) {
  const t = useT();
  const folded = place.folded.includes("*");
  return (
    <div className="row board-tools">
      <button type="button" aria-pressed={place.edges} onClick={() => change({ edges: !place.edges })}>
        {t("board.edges")}
      </button>
      <button type="button" onClick={() => change({ folded: folded ? [] : ["*"] })}>
        {t(folded ? "board.unfold" : "board.fold")}
      </button>
      <span className="row zoom">
        <button type="button" aria-label={t("board.zoomOut")} onClick={() => zoom(1 / 1.5)}>
          −
        </button>
        <button type="button" aria-label={t("board.zoomAll")} onClick={() => zoom(0)}>
          ↔
        </button>
        <button type="button" aria-label={t("board.zoomIn")} onClick={() => zoom(1.5)}>
          +
        </button>
      </span>
    </div>
  );
}

/** useDayKeys goes to other days by [ and ], and to today by t. */
export function useDayKeys(date: string, onDate: (date: string) => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
      if (event.target instanceof HTMLElement && ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName)) return;
      const to = { "[": shifted(date, -1), "]": shifted(date, 1), t: "today" }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      onDate(to);
      // A new page takes the focus, for who reads it; who goes from day to day by keys stays in the picture.
      if (document.activeElement?.closest(".lanes")) {
        setTimeout(() => document.querySelector<HTMLElement>(".lanes .scroll")?.focus({ preventScroll: true }), 50);
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [date, onDate]);
}
