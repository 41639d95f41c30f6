import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, newKey, post } from "../api/client";
import { useT } from "../i18n/language";
import { Act, useRefusal } from "../parts/act";
import { ProblemView } from "../parts/problem";
import { toast } from "../shell/toasts";
import { type PlanDiff, reviewed, type Source } from "./queries";

/** Apply loads exactly what was reviewed. What is due and would be cancelled must have been seen. */
export function Apply(props: { source: Source; text: string; diff: PlanDiff; stale: boolean; onApplied: () => void; onAgain: () => void }) {
  const t = useT();
  const { source, text, diff } = props;
  const client = useQueryClient();
  const [key] = useState(newKey);
  const [note, setNote] = useState("");
  const [seen, setSeen] = useState(false);
  const refusal = useRefusal("editor");
  const apply = useMutation({
    mutationFn: () => post("/api/v1/definitions/apply", { body: reviewed(source, text, diff, note), key }),
    onSuccess: async (report) => {
      const first = [...report.changed, ...report.added][0];
      toast({
        text: t("definition.applied", { changed: report.changed.length, added: report.added.length, removed: report.removed.length }),
        href: first && `/jobs/${encodeURIComponent(first.workflow)}/${encodeURIComponent(first.job)}`,
      });
      await client.invalidateQueries();
      props.onApplied();
    },
    onError: () => undefined,
  });
  const drifted = apply.error instanceof ApiError && apply.error.problem.status === 412;
  if (diff.jobs.length === 0) return <p className="soft">{t("definition.same")}</p>;
  return (
    <form
      className="apply stack"
      onSubmit={(event) => {
        event.preventDefault();
        apply.mutate();
      }}
    >
      <p className="small">
        {source.serverFolder === undefined
          ? t("definition.effect.none")
          : t("definition.effect.folder", { folder: source.serverFolder, name: source.name })}
      </p>
      {diff.summary.dropped > 0 && (
        <label className="check notice">
          <input type="checkbox" checked={seen} onChange={(event) => setSeen(event.target.checked)} />
          {t("definition.seen", { n: diff.summary.dropped })}
        </label>
      )}
      {refusal !== undefined && <p className="notice">{t("definition.forbidden")}</p>}
      <div className="row">
        <label className="row grow">
          {t("operations.note")}
          <input type="text" className="grow" maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        <Act
          type="submit"
          needs="editor"
          className="primary"
          disabled={props.stale || apply.isPending || drifted || (diff.summary.dropped > 0 && !seen)}
        >
          {t("definition.apply")}
        </Act>
      </div>
      {apply.error && <ProblemView error={apply.error} />}
      {drifted && (
        <p className="row">
          <span className="grow">{t("definition.drift")}</span>
          <button type="button" className="primary" onClick={props.onAgain}>
            {t("definition.again")}
          </button>
        </p>
      )}
    </form>
  );
}
