import { useT } from "../i18n/language";
import { mostHops } from "./state";

/** The Toolbar says how much is shown and how, and finds. */
export function Toolbar(props: {
  up: number;
  down: number;
  onHops: (way: "up" | "down", n: number) => void;
  collapsed: boolean;
  onCollapse: () => void;
  words: string;
  onWords: (words: string) => void;
  found: number;
  at: number;
  onNext: (by: number) => void;
  list: boolean;
  onList: (list: boolean) => void;
  children: React.ReactNode;
}) {
  const t = useT();
  const { words, found } = props;
  return (
    <div className="row graph-toolbar" role="toolbar" aria-label={t("graph.title")}>
      <Hops way={t("graph.up")} n={props.up} onChange={(n) => props.onHops("up", n)} />
      <Hops way={t("graph.down")} n={props.down} onChange={(n) => props.onHops("down", n)} />
      <button type="button" aria-pressed={props.collapsed} onClick={props.onCollapse}>
        {t("graph.collapse")}
      </button>
      <span className="row find">
        <input
          type="search"
          data-search=""
          aria-label={t("graph.find")}
          placeholder={t("graph.find")}
          value={words}
          spellCheck={false}
          onChange={(event) => props.onWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            props.onNext(event.shiftKey ? -1 : 1);
          }}
        />
        <span className="soft small" aria-live="polite">
          {words !== "" && (found === 0 ? t("graph.foundNone") : t("graph.found", { at: props.at + 1, n: found }))}
        </span>
        {found > 0 && (
          <button type="button" onClick={() => props.onNext(1)} aria-label={t("graph.findNext")}>
            ↓
          </button>
        )}
      </span>
      <span className="grow" />
      {props.children}
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form */}
      <span className="joined" role="group" aria-label={t("graph.view")}>
        <button type="button" aria-pressed={!props.list} onClick={() => props.onList(false)}>
          {t("graph.picture")}
        </button>
        <button type="button" aria-pressed={props.list} onClick={() => props.onList(true)}>
          {t("graph.list")}
        </button>
      </span>
    </div>
  );
}

function Hops({ way, n, onChange }: { way: string; n: number; onChange: (n: number) => void }) {
  const t = useT();
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form
    <span className="joined" role="group" aria-label={t("graph.hops", { way, n })}>
      <button type="button" disabled={n === 0} onClick={() => onChange(n - 1)} aria-label={t("graph.fewer", { way })}>
        −
      </button>
      <span className="value number" aria-live="polite">
        {way} {n}
      </span>
      <button type="button" disabled={n >= mostHops} onClick={() => onChange(n + 1)} aria-label={t("graph.further", { way })}>
        +
      </button>
    </span>
  );
}
