import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import type { Mark } from "./marks";
import { placeAt } from "./place";
import { keysAt, type Schema, takesJob, valuesAt } from "./schema";
import { theme } from "./theme";

/** Options are what an editor is made with. What completes is asked for when somebody writes, so that it may come later. */
export interface Options {
  text: string;
  label: string;
  at: number; // the place that is in sight at first
  readOnly: boolean;
  phrases: Record<string, string>;
  onChange: (text: string) => void;
  known: () => { schema: Schema | null; jobs: string[] };
}

/** A Code is an editor in a shadow tree: there its styles are adopted sheets, which the page's policy allows; in the document they would be an element that it refuses. */
export class Code {
  readonly #view: EditorView;

  constructor(root: ShadowRoot, options: Options) {
    const writing = options.readOnly
      ? [EditorState.readOnly.of(true)]
      : [
          history(),
          indentOnInput(),
          closeBrackets(),
          autocompletion({ override: [(context) => complete(context, options.known())], icons: false }),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, indentWithTab]),
        ];
    this.#view = new EditorView({
      root,
      parent: root,
      scrollTo:
        options.at > 0 ? EditorView.scrollIntoView(Math.min(options.at, options.text.length), { y: "start", yMargin: 40 }) : undefined,
      state: EditorState.create({
        doc: options.text,
        extensions: [
          lineNumbers(),
          lintGutter(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          bracketMatching(),
          yaml(),
          theme,
          typed,
          ...writing,
          keymap.of([...lintKeymap, ...searchKeymap, ...defaultKeymap]),
          EditorState.tabSize.of(2),
          EditorState.phrases.of(options.phrases),
          EditorView.contentAttributes.of({ "aria-label": options.label, tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) options.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  /** mark shows where something is wrong. */
  mark(marks: Mark[]): void {
    const end = this.#view.state.doc.length;
    const list = marks.map((mark) => ({ ...mark, from: Math.min(mark.from, end), to: Math.min(mark.to, end) }));
    this.#view.dispatch(setDiagnostics(this.#view.state, list));
  }

  /** jump puts the cursor at a place and brings it into sight. */
  jump(position: number): void {
    const anchor = Math.min(position, this.#view.state.doc.length);
    this.#view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.#view.focus();
  }

  focus(): void {
    this.#view.focus();
  }

  end(): void {
    this.#view.destroy();
  }
}

/**
 * typed puts what is typed over a selection into the text by itself: the browser's own way takes the look of what was selected along as a style in the document, which the
 * page's policy refuses, loudly.
 */
const typed = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to } = view.state.selection.main;
    const text = event.data;
    if (event.inputType !== "insertText" || event.isComposing || view.composing || view.state.readOnly || from === to || !text)
      return false;
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
    return true;
  },
});

/** complete offers what the schema has for the place, and names of jobs where one is waited for. */
function complete(context: CompletionContext, { schema, jobs }: { schema: Schema | null; jobs: string[] }): CompletionResult | null {
  const place = placeAt(context.state.doc.toString(), context.pos);
  if (!context.explicit && place.from === context.pos && place.at === "key") return null;
  const options: Completion[] = [];
  if (takesJob(place.path, place.at)) options.push(...jobs.map((label) => ({ label, type: "variable", boost: 1 })));
  if (schema && place.at === "key") {
    options.push(
      ...keysAt(schema, place.path, place.known).map((one) => ({
        label: one.text,
        apply: `${one.text}: `,
        info: one.about,
        type: "property",
      })),
    );
  } else if (schema) {
    options.push(...valuesAt(schema, place.path).map((one) => ({ label: one.text, info: one.about, type: "enum" })));
  }
  return options.length === 0 ? null : { from: place.from, options, validFor: /^[\w./-]*$/ };
}
