import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { newKey } from "../api/client";
import { useT } from "../i18n/language";
import { type Toast, toast } from "../shell/toasts";
import { Act, type Role } from "./act";
import { Dialog } from "./dialog";
import { ProblemView } from "./problem";

/** What a dialog sends when its form is submitted. */
export interface Sent<T> {
  said: unknown; // what the form says: the same is the same request
  send: (key: string) => Promise<T>;
  told?: (answer: T) => Toast; // of what was done; without, the dialog itself shows the answer and stays
  changes?: QueryKey; // what is asked for again; without, everything that is shown
  onClose: () => void;
}

/**
 * useSend sends what a form says under a key of its own, which stays as long as the form says the same: a
 * second click is no second deed, and what was refused and corrected is another request. What was done is
 * told, the dialog closes, and what is shown is asked for again.
 */
export function useSend<T>({ said, send, told, changes, onClose }: Sent<T>): UseMutationResult<T, Error, void> {
  const client = useQueryClient();
  const text = JSON.stringify(said);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what says something else is another request
  const key = useMemo(newKey, [text]);
  return useMutation({
    mutationFn: () => send(key),
    onSuccess: async (answer) => {
      if (told !== undefined) {
        toast(told(answer));
        onClose();
      }
      await client.invalidateQueries(changes === undefined ? undefined : { queryKey: changes });
    },
    onError: () => undefined, // the dialog says why
  });
}

/** A FormDialog is a form in a dialog: its fields, why it was refused, a button that sends it, and one that closes. */
export function FormDialog<T>(props: {
  title: string;
  sending: UseMutationResult<T, Error, void>;
  words: string; // on the button that sends
  needs?: Role; // without, whoever sees the dialog may
  danger?: boolean;
  unready?: boolean; // it cannot be sent as it is
  refused?: ReactNode; // said below why it was refused
  onClose: () => void;
  children: ReactNode;
}) {
  const t = useT();
  const { sending, unready = false } = props;
  const button = {
    type: "submit",
    className: props.danger ? "danger" : "primary",
    disabled: unready || sending.isPending,
    children: props.words,
  } as const;
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!unready) sending.mutate();
        }}
      >
        {props.children}
        {sending.error && <ProblemView error={sending.error} />}
        {sending.error && props.refused}
        <div className="row">
          {props.needs === undefined ? <button {...button} /> : <Act needs={props.needs} {...button} />}
          <button type="button" onClick={props.onClose}>
            {t("close")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** NoteField asks for why; the history keeps it. */
export function NoteField(props: { note: string; onChange: (note: string) => void; label?: string }) {
  const t = useT();
  return (
    <label className="field">
      {props.label ?? t("operations.note")}
      <input type="text" maxLength={1000} value={props.note} onChange={(event) => props.onChange(event.target.value)} />
    </label>
  );
}

/** noted is the part of a request that says why; nothing when nobody said. */
export const noted = (note: string): { note?: string } => (note === "" ? {} : { note });
