import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { whoQuery } from "../admin/queries";
import { roleName } from "../admin/rolename";
import { useT } from "../i18n/language";
import { toast } from "../shell/toasts";

export type Role = "viewer" | "operator" | "editor" | "admin";

/** useRefusal says in words why the token may not do what needs a role; undefined when it may, or as long as it is not known: the server decides anyway. */
export function useRefusal(needs: Role): string | undefined {
  const t = useT();
  const { data: who } = useQuery(whoQuery);
  if (who === undefined || (who.permissions ?? []).includes(needs)) return undefined;
  return t("may.needs", { needs: roleName(needs, t), name: who.name, role: roleName(who.role, t) });
}

/**
 * An Act is a button for what needs a role. Where the token has it not, or what it does can only fail, the button stays, says so, and does nothing: it can be
 * reached by the keyboard, so that everybody can read why.
 */
export function Act(props: {
  needs: Role;
  why?: string; // it can only fail
  onClick?: () => void; // of a submit: none, the form does it
  children: ReactNode;
  className?: string;
  type?: "button" | "submit";
  disabled?: boolean;
}) {
  const refusal = useRefusal(props.needs);
  const why = refusal ?? props.why;
  const id = useId();
  return (
    <>
      <button
        type={why === undefined ? (props.type ?? "button") : "button"}
        className={props.className}
        disabled={props.disabled}
        aria-disabled={why !== undefined}
        aria-describedby={why === undefined ? undefined : id}
        title={why}
        onClick={() => (why === undefined ? props.onClick?.() : toast({ text: why, bad: true }))}
      >
        {props.children}
      </button>
      {why !== undefined && (
        <span id={id} className="hidden">
          {why}
        </span>
      )}
    </>
  );
}
