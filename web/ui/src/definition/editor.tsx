import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef } from "react";
import { useLanguage } from "../i18n/language";
import { Code } from "./code";
import type { Mark } from "./marks";
import type { Schema } from "./schema";

/** An EditorHandle brings the cursor to a place. */
export interface EditorHandle {
  jump: (position: number) => void;
}

const phrases = [
  "Find",
  "Replace",
  "next",
  "previous",
  "all",
  "match case",
  "regexp",
  "by word",
  "replace",
  "replace all",
  "close",
  "Diagnostics",
  "No diagnostics",
  "Completions",
] as const;

/** Editor is the text of a definition. It is made anew for another name or language; another text comes with another key. */
export function Editor(props: {
  ref: Ref<EditorHandle>;
  initial: string;
  at: number; // the place that is in sight at first
  name: string;
  readOnly: boolean;
  marks: Mark[];
  schema: Schema | null;
  jobs: string[];
  begins: RefObject<boolean>; // the next editor takes the focus
  onChange: (text: string) => void;
}) {
  const { t } = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const code = useRef<Code | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useImperativeHandle(props.ref, () => ({ jump: (position) => code.current?.jump(position) }), []);

  const { name, readOnly } = props;
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const made = new Code(root, {
      text: latest.current.initial,
      at: latest.current.at,
      label: t(readOnly ? "definition.reader" : "definition.editor", { name }),
      readOnly,
      phrases: Object.fromEntries(phrases.map((one) => [one, t(`definition.phrase.${one}`)])),
      onChange: (text) => latest.current.onChange(text),
      known: () => latest.current,
    });
    code.current = made;
    made.mark(latest.current.marks);
    if (latest.current.begins.current && !readOnly) {
      latest.current.begins.current = false;
      made.focus();
    }
    // The page's keys of single letters are not meant by who writes here; from outside it cannot be seen what in a shadow tree has the focus.
    const keep = (event: KeyboardEvent) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    };
    host.addEventListener("keydown", keep);
    return () => {
      host.removeEventListener("keydown", keep);
      code.current = null;
      made.end();
    };
  }, [name, readOnly, t]);

  const { marks } = props;
  useEffect(() => code.current?.mark(marks), [marks]);
  return <div className="code" ref={place} />;
}
