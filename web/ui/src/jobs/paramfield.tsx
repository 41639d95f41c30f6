import { useId } from "react";
import { useT } from "../i18n/language";
import { asked, choicesOf, type Given, hintOf, type Param } from "./param";

/** ParamField asks for one parameter of a job, in the way of its type. The server judges what is given; what can be told at once, the field tells. */
export function ParamField({ param, value, onChange }: { param: Param; value: Given | undefined; onChange: (value: Given) => void }) {
  const t = useT();
  const id = useId();
  const hint = hintOf(param, t);
  const choices = choicesOf(param);
  const shared = { id, required: asked(param), "aria-describedby": hint === "" ? undefined : `${id}-hint` };
  const told = hint !== "" && (
    <span className="soft small" id={`${id}-hint`}>
      {hint}
    </span>
  );
  if (param.type === "list" && choices) {
    const chosen = typeof value === "object" ? value : [];
    return (
      <fieldset className="given" aria-describedby={shared["aria-describedby"]}>
        <legend className="mono">{param.name}</legend>
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={(event) => onChange(choices.filter((item) => (item === choice ? event.target.checked : chosen.includes(item))))}
            />{" "}
            {choice}
          </label>
        ))}
        {told}
      </fieldset>
    );
  }
  const text = typeof value === "string" ? value : "";
  return (
    <div className="given">
      <label htmlFor={id} className="mono">
        {param.name}
      </label>
      {choices ? (
        <select {...shared} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="">{param.default === undefined ? t("param.untouched") : t("param.default", { value: param.default })}</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : param.type === "list" ? (
        <textarea
          {...shared}
          rows={3}
          value={(typeof value === "object" ? value : []).join("\n")}
          onChange={(event) => onChange(event.target.value.split("\n"))}
        />
      ) : (
        <input
          {...shared}
          type={
            param.secret
              ? "password"
              : param.type === "integer" || param.type === "number"
                ? "number"
                : param.type === "date"
                  ? "date"
                  : "text"
          }
          step={param.type === "integer" ? 1 : "any"}
          min={param.type === "string" ? undefined : param.min}
          max={param.type === "string" ? undefined : param.max}
          spellCheck={false}
          autoComplete={param.secret ? "new-password" : "off"}
          placeholder={param.default}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {told}
    </div>
  );
}
