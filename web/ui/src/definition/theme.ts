import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The look of the editor. Its colours are the tokens of the page, which reach into its shadow tree, so that it follows the theme by itself. */
const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-gutters": { backgroundColor: "var(--sunk)", color: "var(--ink-soft)", borderRight: "1px solid var(--edge)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 55%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--hover)", color: "var(--ink)" },
  ".cm-content ::selection, .cm-line::selection, .cm-line ::selection": {
    backgroundColor: "color-mix(in srgb, var(--accent) 32%, transparent)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--warn-surface)" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--accent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--hover)", outline: "1px solid var(--edge-strong)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)", borderColor: "var(--edge)" },
  ".cm-panel button, .cm-panel input": {
    font: "inherit",
    color: "inherit",
    backgroundColor: "var(--surface)",
    backgroundImage: "none",
    border: "1px solid var(--edge-strong)",
    borderRadius: "4px",
  },
  ".cm-panel.cm-search label": { fontSize: "12px" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--edge-strong)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px", lineHeight: "20px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionInfo": { fontFamily: "var(--sans)", maxWidth: "360px", padding: "8px 12px" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", padding: "6px 10px", maxWidth: "560px" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--failed)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--lost)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--failed) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--lost) 1px", textUnderlineOffset: "3px" },
  ".cm-gutter-lint": { width: "18px" },
  ".cm-lint-marker": {
    width: "14px",
    height: "20px",
    textAlign: "center",
    lineHeight: "20px",
    fontFamily: "var(--sans)",
    fontWeight: "700",
  },
  ".cm-lint-marker-error": { content: "none", color: "var(--failed)" },
  ".cm-lint-marker-error::before": { content: '"✕"' },
  ".cm-lint-marker-warning": { content: "none", color: "var(--lost)" },
  ".cm-lint-marker-warning::before": { content: '"▲"' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--running)" },
  { tag: [tags.string, tags.special(tags.string), tags.content, tags.attributeValue], color: "var(--ink)" },
  { tag: [tags.lineComment, tags.comment], color: "var(--ink-soft)", fontStyle: "italic" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--ink-soft)" },
  { tag: [tags.keyword, tags.bool, tags.number], color: "var(--forced)" },
  { tag: [tags.meta, tags.typeName, tags.labelName], color: "var(--cancelled)" },
]);

export const theme = [look, syntaxHighlighting(colours)];
