import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { get } from "../api/client";
import { explainQuery } from "../api/queries";
import type { Key } from "../i18n/en";
import { useLanguage, useT } from "../i18n/language";
import { takenBy } from "../instance/operation";
import { pages } from "../pages";
import { useRefusal } from "../parts/act";
import { Dialog } from "../parts/dialog";
import { toast } from "./toasts";

interface Choice {
  group: Key;
  text: string;
  detail?: string;
  run: () => void;
}

/** The Palette finds pages, jobs, instances, and operations on the instance that is open. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const t = useT();
  const id = useId();
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const choices = useChoices(words.trim(), onHelp);
  const marked = Math.min(at, Math.max(0, choices.length - 1));
  useEffect(() => {
    list.current?.querySelector(`[data-choice="${marked}"]`)?.scrollIntoView({ block: "nearest" });
  }, [marked]);

  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const move = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(marked + 1, choices.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(marked - 1, 0));
    else if (event.key === "Enter") take(choices[marked]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t("palette.title")} className="palette" onClose={onClose} bare>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={choices.length > 0 ? `${id}-${marked}` : undefined}
        aria-label={t("palette.input")}
        placeholder={t("palette.input")}
        value={words}
        spellCheck={false}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={move}
      />
      <div role="listbox" id={`${id}-list`} aria-label={t("palette.title")} ref={list} tabIndex={-1}>
        {choices.map((choice, n) => (
          <div key={`${choice.group} ${choice.text} ${choice.detail ?? ""}`} role="presentation">
            {choices[n - 1]?.group !== choice.group && (
              <div className="group" role="presentation">
                {t(choice.group)}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are the input's, which keeps the focus */}
            <div role="option" id={`${id}-${n}`} data-choice={n} aria-selected={n === marked} onClick={() => take(choice)}>
              <span>{choice.text}</span>
              {choice.detail !== undefined && <span className="soft">{choice.detail}</span>}
            </div>
          </div>
        ))}
      </div>
      {choices.length === 0 && <p className="group soft">{t("palette.none")}</p>}
    </Dialog>
  );
}

const term = /(^|\s)-?(job|workflow|tag|date|time|state|gate|kind|id|backfill):\S/;

function useChoices(words: string, onHelp: () => void): Choice[] {
  const { t, language, choose } = useLanguage();
  const [place, go] = useLocation();
  const client = useQueryClient();
  const asked = useDeferredValue(words);
  const jobs = useQuery({
    queryKey: ["jobs", "palette", asked],
    queryFn: ({ signal }) => get("/api/v1/jobs", { query: { q: asked, limit: 8 }, signal }),
    enabled: asked !== "" && !term.test(asked),
    placeholderData: keepPreviousData, // what fits stays where it is while more letters come, and can be taken
    staleTime: 10_000,
  });
  const matches = (text: string) => text.toLowerCase().includes(words.toLowerCase());
  const refusal = useRefusal("operator");
  const choices: Choice[] = [];

  const here = /^\/instances\/(\d+)(?:\/graph)?$/.exec(place)?.[1];
  const open = here === undefined ? undefined : client.getQueryData(explainQuery(here).queryKey);
  if (open) {
    for (const operation of takenBy(open)) {
      if (matches(t(`op.${operation}`))) {
        choices.push({
          group: "palette.operations",
          text: t(`op.${operation}`),
          detail: refusal ?? open.instance.name,
          run: () => (refusal === undefined ? go(`/instances/${here}?do=${operation}`) : toast({ text: refusal, bad: true })),
        });
      }
    }
  }
  if (here !== undefined && matches(t("graph.open"))) {
    choices.push({
      group: "palette.commands",
      text: t("graph.open"),
      detail: open?.instance.name,
      run: () => go(`/instances/${here}/graph`),
    });
  }
  if (/^\d+$/.test(words))
    choices.push({ group: "palette.instances", text: t("palette.instance", { id: words }), run: () => go(`/instances/${words}`) });
  if (words.includes("@") || term.test(words)) {
    choices.push({
      group: "palette.instances",
      text: t("palette.select", { selector: words }),
      run: () => go(`/instances?q=${encodeURIComponent(words)}`),
    });
  }
  for (const page of pages) {
    if (page.nav && matches(t(page.title))) choices.push({ group: "palette.pages", text: t(page.title), run: () => go(page.path) });
  }
  if (words !== "") {
    for (const job of jobs.data?.items ?? []) {
      const name = `${job.workflow}/${job.job}`;
      if (!matches(name)) continue;
      choices.push({
        group: "palette.jobs",
        text: name,
        run: () => go(`/jobs/${encodeURIComponent(job.workflow)}/${encodeURIComponent(job.job)}`),
      });
    }
  }
  if (matches(t("header.help"))) choices.push({ group: "palette.commands", text: t("header.help"), detail: "?", run: onHelp });
  if (matches(t("header.language"))) {
    choices.push({ group: "palette.commands", text: t("header.language"), run: () => choose(language === "en" ? "zh" : "en") });
  }
  return choices;
}
