import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { plannedHref } from "../ahead/orders";
import { post, type Schemas } from "../api/client";
import { known, useT } from "../i18n/language";
import { Act } from "../parts/act";
import { useAddress } from "../parts/address";
import { FormDialog, NoteField, noted, useSend } from "../parts/form";
import { ProblemView } from "../parts/problem";
import { clock, offset } from "../parts/time";
import { isOperation, type Operation, operationsFor, refusalOf, takenBy, upstreams } from "./operation";

type Explanation = Schemas["Explanation"];
type Options = NonNullable<Schemas["OperationRequest"]["options"]>;

/** Operations are the buttons of an instance and the dialog of the one that is open. The address says which is: so a link opens it, as the palette does. */
export function Operations({ explanation }: { explanation: Explanation }) {
  const t = useT();
  const [search, setSearch] = useAddress();
  const possible = operationsFor(explanation);
  const asked = search.get("do") ?? "";
  const open = isOperation(asked) && takenBy(explanation).includes(asked) ? asked : null;
  const choose = (operation: Operation | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (operation === null) next.delete("do");
        else next.set("do", operation);
        return next;
      },
      { replace: true },
    );
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that stand together are no form
    <div className="row" role="group" aria-label={t("operations.title")}>
      {possible.map((operation) => {
        const why = refusalOf(operation, explanation);
        return (
          <Act
            needs="operator"
            key={operation}
            why={why && t(why)}
            className={operation === "rerun" || operation === "confirm" ? "primary" : ""}
            onClick={() => choose(operation)}
          >
            {t(`op.${operation}`)}
          </Act>
        );
      })}
      {open !== null && <OperationDialog key={open} operation={open} explanation={explanation} onClose={() => choose(null)} />}
    </div>
  );
}

function firstOptions(operation: Operation, explanation: Explanation): Options {
  if (operation === "rerun") return { from: "start", version: "original", scope: "this" };
  if (operation === "boost") return { priority: 9 };
  if (operation === "detach") return { upstream: upstreams(explanation)[0]?.value };
  if (operation === "reschedule") return { to: clockOf(explanation.instance.notBefore) };
  return {};
}

/** clockOf is a time as a field for times has it, on the clock of the job. */
const clockOf = (at: string) => at.slice(0, 16);

const inverse: Partial<Record<Operation, Operation>> = { freeze: "unfreeze", unfreeze: "freeze" };

function OperationDialog(props: { operation: Operation; explanation: Explanation; onClose: () => void }) {
  const { operation, explanation, onClose } = props;
  const t = useT();
  const client = useQueryClient();
  const { instance } = explanation;
  const [options, setOptions] = useState<Options>(() => firstOptions(operation, explanation));
  const [note, setNote] = useState("");
  // One that is not written down yet has no id, and is named.
  const which = explanation.planned ? { ids: [instance.id] } : { selector: instance.name };
  const request = { operation, ...which, options: Object.keys(options).length > 0 ? options : undefined };
  const preview = useQuery({
    queryKey: ["preview", request],
    queryFn: () => post("/api/v1/operations", { body: { ...request, dryRun: true } }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const undo = async (back: Operation, with_?: Options) => {
    await post("/api/v1/operations", { body: { operation: back, ...which, options: with_ } });
    await client.invalidateQueries();
  };
  const sending = useSend({
    said: [request, note],
    send: (key) => post("/api/v1/operations", { body: { ...request, ...noted(note) }, key }),
    told: (result) => {
      const back = inverse[operation];
      const undoable: [Operation, Options?] | undefined = back
        ? [back]
        : operation === "boost"
          ? ["boost", { priority: instance.priority }]
          : operation === "reschedule"
            ? ["reschedule", { to: instance.notBefore === instance.planTime ? "plan" : instance.notBefore }]
            : undefined;
      const words = result.underWay ? "operations.underWay" : "operations.done";
      return {
        text: t(words, { operation: t(`op.${operation}`), n: result.counts.changed + result.counts.reopened }),
        undo: undoable === undefined ? undefined : () => void undo(...undoable),
        href: explanation.planned ? `/instances/${instance.id}` : plannedHref(instance.workflow, instance.job, instance.planTime),
      };
    },
    onClose,
  });
  const changes = preview.data?.changes ?? [];
  return (
    <FormDialog
      title={t("operations.of", { operation: t(`op.${operation}`), name: instance.name })}
      words={t("apply")}
      needs="operator"
      unready={!preview.data}
      {...{ sending, onClose }}
    >
      <OptionFields operation={operation} explanation={explanation} options={options} onChange={setOptions} />
      <NoteField note={note} onChange={setNote} />
      <div className="stack" aria-live="polite">
        <h3>{t("operations.preview")}</h3>
        {preview.isPending && <p className="soft">{t("operations.previewing")}</p>}
        {preview.error && <ProblemView error={preview.error} />}
        {preview.data && changes.every((change) => change.effect === "unchanged" || change.effect === "left") && (
          <p>{t("operations.nothing")}</p>
        )}
        {changes.length > 0 && (
          <ul className="stack">
            {changes.slice(0, 20).map((change) => (
              <li key={change.id}>
                <strong>{known(`effect.${change.effect}`) ? t(`effect.${change.effect}`) : change.effect}</strong> {change.name}
                <br />
                <span className="soft">{change.text}</span>
              </li>
            ))}
          </ul>
        )}
        {(preview.data?.total ?? 0) > 20 && <p className="soft">{t("operations.more", { n: (preview.data?.total ?? 0) - 20 })}</p>}
      </div>
    </FormDialog>
  );
}

function OptionFields(props: { operation: Operation; explanation: Explanation; options: Options; onChange: (options: Options) => void }) {
  const t = useT();
  const { operation, options, onChange } = props;
  if (operation === "rerun") {
    return (
      <>
        <div className="row">
          <label className="field">
            {t("operations.from")}
            <select
              value={options.from}
              onChange={(event) => onChange({ ...options, from: event.target.value === "failed" ? "failed" : "start" })}
            >
              <option value="start">{t("operations.from.start")}</option>
              <option value="failed">{t("operations.from.failed")}</option>
            </select>
          </label>
          <label className="field">
            {t("operations.version")}
            <select
              value={options.version}
              onChange={(event) => onChange({ ...options, version: event.target.value === "latest" ? "latest" : "original" })}
            >
              <option value="original">{t("operations.version.original")}</option>
              <option value="latest">{t("operations.version.latest")}</option>
            </select>
          </label>
        </div>
        <label className="row">
          <input
            type="checkbox"
            checked={options.scope === "downstream"}
            onChange={(event) => onChange({ ...options, scope: event.target.checked ? "downstream" : "this" })}
          />
          {t("operations.downstream")}
        </label>
      </>
    );
  }
  if (operation === "boost") {
    return (
      <label className="field">
        {t("operations.priority")}
        <select value={options.priority} onChange={(event) => onChange({ priority: Number(event.target.value) })}>
          {[9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => (
            <option key={n} value={n}>
              {n}
            </option>
          ))}
        </select>
      </label>
    );
  }
  if (operation === "detach") {
    return (
      <label className="field">
        {t("operations.upstream")}
        <select value={options.upstream} onChange={(event) => onChange({ upstream: event.target.value })}>
          {upstreams(props.explanation).map((one) => (
            <option key={one.value} value={one.value}>
              {one.text}
            </option>
          ))}
        </select>
      </label>
    );
  }
  if (operation === "reschedule") return <TimeField {...props} />;
  return null;
}

/** TimeField asks when an instance starts at the earliest: a time on the clock of its job, or its plan time again. */
function TimeField({
  explanation,
  options,
  onChange,
}: {
  explanation: Explanation;
  options: Options;
  onChange: (options: Options) => void;
}) {
  const t = useT();
  const { instance } = explanation;
  const back = options.to === "plan";
  return (
    <>
      <label className="field">
        {t("ahead.to", { offset: offset(instance.planTime) })}
        <input
          type="datetime-local"
          required={!back}
          disabled={back}
          value={back ? "" : options.to}
          onChange={(event) => onChange({ to: event.target.value })}
        />
      </label>
      <label className="row">
        <input
          type="checkbox"
          checked={back}
          onChange={(event) => onChange({ to: event.target.checked ? "plan" : clockOf(instance.notBefore) })}
        />
        {t("ahead.back", { at: clock(instance.planTime) })}
      </label>
    </>
  );
}
