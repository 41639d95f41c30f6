import { type ReactNode, useEffect, useRef } from "react";
import { useT } from "../i18n/language";

const fields = ["input", "select", "textarea"].map((name) => `${name}:not(:disabled)`).join();

/**
 * A Dialog is the browser's own modal dialog: it keeps the focus, makes what is behind it inert, closes on Escape, and needs no style of its own in the document, which
 * the page's policy would refuse.
 */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  className?: string;
  children: ReactNode;
  bare?: boolean;
  stays?: boolean;
}) {
  const t = useT();
  const place = useRef<HTMLDialogElement>(null);
  const { onClose, stays } = props;
  useEffect(() => {
    const dialog = place.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      dialog.querySelector<HTMLElement>(fields)?.focus(); // not the ✕, which stands before them
    }
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      ref={place}
      aria-label={props.title}
      className={props.className ?? "window"}
      closedby={stays ? "none" : "closerequest"}
      onClose={(event) => {
        if (event.target !== place.current) return;
        if (stays) place.current.showModal();
        else onClose();
      }}
      onClick={(event) => {
        if (event.target === place.current && !stays) onClose();
      }}
    >
      {props.bare ? (
        props.children
      ) : (
        <div className="stack">
          <div className="row">
            <h2 className="grow">{props.title}</h2>
            {!stays && (
              <button type="button" className="plain" onClick={onClose} aria-label={t("close")}>
                ✕
              </button>
            )}
          </div>
          {props.children}
        </div>
      )}
    </dialog>
  );
}
