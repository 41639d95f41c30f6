import { type ReactNode, useId } from "react";

/** A Line is one typed value with its label, what it means, and all that is wrong with it. */
export function Line(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  wrong?: string[];
  hint?: string;
  type?: "text" | "date" | "time" | "search";
  className?: string;
  placeholder?: string;
  list?: string;
  numeric?: boolean;
  invalid?: boolean; // what is wrong stands elsewhere
}) {
  const id = useId();
  const wrong = props.wrong ?? [];
  const described = [props.hint === undefined ? "" : `${id}-hint`, wrong.length > 0 ? `${id}-wrong` : ""].filter(Boolean).join(" ");
  return (
    <div className={`asked ${props.className ?? ""}`}>
      <label htmlFor={id}>{props.label}</label>
      <input
        id={id}
        type={props.type ?? "text"}
        inputMode={props.numeric ? "numeric" : undefined}
        spellCheck={false}
        autoComplete="off"
        list={props.list}
        placeholder={props.placeholder}
        value={props.value}
        aria-invalid={wrong.length > 0 || props.invalid === true}
        aria-describedby={described === "" ? undefined : described}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {props.hint !== undefined && (
        <span className="soft small" id={`${id}-hint`}>
          {props.hint}
        </span>
      )}
      <Wrong id={`${id}-wrong`} list={wrong} />
    </div>
  );
}

/** Wrong says what is wrong beside what it is about. */
export function Wrong({ list, id }: { list: string[]; id?: string }) {
  if (list.length === 0) return null;
  return (
    <span className="wrong" id={id}>
      {list.map((words) => (
        <span key={words}>{words}</span>
      ))}
    </span>
  );
}

/** A Tick is a yes or no with what it means. */
export function Tick(props: {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <div className="tick">
      <input
        type="checkbox"
        id={id}
        checked={props.checked}
        disabled={props.disabled}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      <label htmlFor={id}>{props.label}</label>
      {props.children}
      {props.hint !== undefined && (
        <span className="soft small" id={`${id}-hint`}>
          {props.hint}
        </span>
      )}
    </div>
  );
}
