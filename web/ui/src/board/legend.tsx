import { Glyph } from "../design/state";
import { useT } from "../i18n/language";
import type { Mark } from "./rows";
import { legend } from "./rows";

/** Legend says how the states look and how many there are of each; pressed, it shows those alone. */
export function Legend(props: { counts: Record<Mark, number>; chosen: readonly string[]; onChoose: (states: string[]) => void }) {
  const t = useT();
  const { counts, chosen } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form
    <div className="board-legend" role="group" aria-label={t("board.states")}>
      {legend
        .filter((mark) => counts[mark] > 0 || chosen.includes(mark))
        .map((mark) => (
          <button
            type="button"
            key={mark}
            className={mark === "late" ? "lost" : mark}
            title={mark === "late" ? t("board.legend.late") : undefined}
            aria-pressed={chosen.includes(mark)}
            onClick={() => props.onChoose(chosen.includes(mark) ? chosen.filter((one) => one !== mark) : [...chosen, mark])}
          >
            <MarkGlyph mark={mark} />
            {mark === "planned" || mark === "late" ? t(`board.mark.${mark}`) : t(`state.${mark}`)}
            <strong className="number">{counts[mark]}</strong>
          </button>
        ))}
    </div>
  );
}

/** What is planned is an outline, what is late has a corner, as in the picture. */
function MarkGlyph({ mark }: { mark: Mark }) {
  if (mark !== "planned" && mark !== "late") return <Glyph state={mark} />;
  return (
    <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
      {mark === "planned" ? (
        <rect x="1.5" y="3" width="13" height="10" rx="2.5" fill="none" stroke="currentColor" strokeWidth="1.6" />
      ) : (
        <path d="M4 2h10v10z" fill="currentColor" />
      )}
    </svg>
  );
}
