import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useParams } from "wouter";
import { jobsQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { Loaded, ProblemView } from "../parts/problem";
import { Tabs } from "../parts/tabs";
import { toast } from "../shell/toasts";
import { Diff } from "./diff";
import { type Draft, keepDraft, readDraft } from "./draft";
import { Editor, type EditorHandle } from "./editor";
import { jobAt, marksOf, offsetOf } from "./marks";
import { PreviewTab } from "./preview";
import { Problems } from "./problems";
import { type Problem, type Source, schemaQuery, sourceQuery, validationQuery } from "./queries";
import type { Schema } from "./schema";
import "./definition.css";

const tabs = ["problems", "diff", "preview"] as const;
type Tab = (typeof tabs)[number];
const afterTyping = 300; // ms

/** DefinitionPage is the source of a workflow: to be read, and to be changed with what a change would come to beside it. */
export default function DefinitionPage() {
  const { workflow } = useParams<{ workflow: string }>();
  const query = useQuery(sourceQuery(workflow));
  return <Loaded query={query}>{(source) => <Shown key={workflow} source={source} />}</Loaded>;
}

function Shown({ source }: { source: Source }) {
  const t = useT();
  const [search, setSearch] = useAddress();
  const [draft, setDraft] = useState<Draft | null>(() => (source.madeBy === undefined ? readDraft(source.workflow) : null));
  const [generation, setGeneration] = useState(0); // another one is another editor
  const editor = useRef<EditorHandle>(null);
  const begins = useRef(false); // somebody has just asked to edit
  const editing = source.madeBy === undefined && (draft !== null || search.get("edit") === "1");
  const text = draft?.text ?? source.text;
  const changed = draft !== null && draft.text !== source.text;
  const moved = draft !== null && draft.base !== source.text && changed;
  const settled = useSettled(text, afterTyping);

  const set = (values: Record<string, string | null>) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values)) {
          if (value === null) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  const write = (next: string) => {
    const one = { base: draft?.base ?? source.text, text: next };
    setDraft(one);
    keepDraft(source.workflow, one);
  };
  const leave = () => {
    setDraft(null);
    keepDraft(source.workflow, null);
    set({ edit: null });
    setGeneration((n) => n + 1);
  };

  const validation = useQuery({ ...validationQuery(source, settled), enabled: source.madeBy === undefined });
  const schema = useQuery({ ...schemaQuery, enabled: editing });
  const jobs = useInfiniteQuery({ ...jobsQuery(""), enabled: editing });
  const known = useMemo(() => {
    const names = jobs.data?.pages.flatMap((page) => page.items ?? []) ?? [];
    return names.map((one) => (one.workflow === source.workflow ? one.job : `${one.workflow}/${one.job}`));
  }, [jobs.data, source.workflow]);
  const problems = validation.data?.problems ?? none;
  const fresh = !validation.isPlaceholderData && settled === text;
  const marks = useMemo(() => (fresh ? marksOf(settled, source.name, problems) : []), [fresh, settled, source.name, problems]);

  const asked = search.get("tab");
  const tab: Tab = tabs.find((one) => one === asked) ?? (editing ? "problems" : "preview");
  const wrong = problems.filter((one) => one.severity === "error").length;
  const jump = (problem: Problem) => editor.current?.jump(offsetOf(text, Math.max(1, problem.line), problem.column));
  const own = validation.data?.workflows.flatMap((one) => (one.workflow === source.workflow ? one.jobs : [])) ?? [];

  return (
    <div className="definition">
      <header className="stack">
        <div className="row">
          <h1>{source.workflow}</h1>
          <span className="soft mono path">
            {source.folder}/{source.name}
          </span>
          <span className="grow" />
          {changed && <span className="chip">{t("definition.changed")}</span>}
          <Actions source={source} text={text} />
          {editing ? (
            <button type="button" key="leave" onClick={leave}>
              {t(changed ? "definition.revert" : "definition.stop")}
            </button>
          ) : (
            source.madeBy === undefined && (
              <button
                type="button"
                key="edit"
                className="primary"
                onClick={() => {
                  begins.current = true;
                  set({ edit: "1", tab: null });
                }}
              >
                {t("definition.edit")}
              </button>
            )
          )}
        </div>
        <p className="soft small">{truth(source, t)}</p>
        {source.notes.map((note) => (
          <p key={note} className="soft small">
            {note}
          </p>
        ))}
        {moved && (
          <p className="problem row" role="alert">
            {t("definition.moved")}
          </p>
        )}
      </header>
      <div className="halves">
        <section className="source" aria-label={t("definition.source")}>
          <Editor
            key={`${editing} ${generation} ${draft?.base ?? source.text}`}
            ref={editor}
            initial={text}
            at={jobAt(text, search.get("job") ?? "")}
            name={source.name}
            readOnly={!editing}
            marks={marks}
            schema={(schema.data?.schema as Schema | undefined) ?? null}
            jobs={known}
            begins={begins}
            onChange={write}
          />
          <div className="status row small">
            <span aria-live="polite">{fresh ? judged(problems, t) : t("definition.checking")}</span>
            <span className="grow" />
            {editing && <span className="soft">{t("definition.keys")}</span>}
          </div>
        </section>
        <section className="beside">
          <Tabs
            label={t("definition.tabs")}
            tabs={tabs}
            chosen={tab}
            onChoose={(next) => set({ tab: next })}
            word={(one) => t(`definition.tab.${one}`)}
            beside={(one) =>
              one === "problems" && problems.length > 0 && <span className={wrong > 0 ? "badge bad" : "badge"}>{problems.length}</span>
            }
          />
          <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="panel">
            {validation.error && tab === "problems" && <ProblemView error={validation.error} retry={() => void validation.refetch()} />}
            {tab === "problems" && <Problems source={source} validation={validation.data} onJump={jump} />}
            {tab === "diff" && (
              <Diff
                source={source}
                text={text}
                wrong={wrong}
                changed={changed}
                onApplied={leave}
                onProblems={() => set({ tab: "problems" })}
              />
            )}
            {tab === "preview" && (
              <PreviewTab
                source={source}
                text={changed ? (wrong === 0 && fresh ? settled : undefined) : null}
                jobs={own.length > 0 ? own : source.jobs}
                asked={search.get("job") ?? ""}
                date={search.get("date") ?? ""}
                set={set}
              />
            )}
          </div>
        </section>
      </div>
    </div>
  );
}

const none: Problem[] = [];

/** truth says what an applied text is worth on this server. */
function truth(source: Source, t: ReturnType<typeof useT>): string {
  if (source.madeBy !== undefined) return t("definition.truth.azure");
  if (source.serverFolder !== undefined) return t("definition.truth.folder", { folder: source.serverFolder });
  return t("definition.truth.none");
}

function judged(problems: Problem[], t: ReturnType<typeof useT>): string {
  const errors = problems.filter((one) => one.severity === "error").length;
  if (problems.length === 0) return t("definition.fine");
  return t("definition.found", { errors, warnings: problems.length - errors });
}

/** useSettled is a value that has not changed for a while. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Actions give the text away: to the clipboard, or as a file to be put into the folder. */
function Actions({ source, text }: { source: Source; text: string }) {
  const t = useT();
  const download = () => {
    const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = source.name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <>
      <Link className="button" href={`/jobs?q=${encodeURIComponent(source.workflow)}`}>
        {t("definition.jobs")}
      </Link>
      {isSecureContext && (
        <button type="button" onClick={() => void navigator.clipboard.writeText(text).then(() => toast({ text: t("copied") }))}>
          {t("copy")}
        </button>
      )}
      <button type="button" onClick={download}>
        {t("definition.download")}
      </button>
    </>
  );
}
