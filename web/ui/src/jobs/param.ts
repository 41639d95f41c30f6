import type { Schemas } from "../api/client";
import type { Key } from "../i18n/en";
import type { Translate } from "../i18n/language";

export type Param = Schemas["Param"];

/** A Given is what was typed for a parameter: a text, or the items of a list. */
export type Given = string | string[];

/** valuesOf are what a trigger gives: what is left empty takes its default. */
export function valuesOf(given: Record<string, Given>): Record<string, Given> | undefined {
  const kept = Object.entries(given)
    .map(([name, value]): [string, Given] => [name, typeof value === "string" ? value : value.filter((item) => item.trim() !== "")])
    .filter(([, value]) => value.length > 0);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** choicesOf are all values that a parameter may have, where they are few; of a list, all items. */
export function choicesOf(param: Param): string[] | undefined {
  if (param.type === "boolean") return ["true", "false"];
  return param.enum?.length ? param.enum : undefined;
}

/** itemsOf are the items of a list as a definition writes it. */
export function itemsOf(json: string | undefined): string[] {
  try {
    const list: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(list) ? list.map((item) => (typeof item === "string" ? item : JSON.stringify(item))) : [];
  } catch {
    return [];
  }
}

/** asked reports whether a trigger has to give the parameter. */
export function asked(param: Param): boolean {
  return param.required === true && param.default === undefined;
}

const bounds: Partial<Record<Param["type"], Key>> = { string: "param.characters", list: "param.items" };

/** hintOf says what a parameter is and may be. */
export function hintOf(param: Param, t: Translate): string {
  const told = asked(param) ? [t("job.required")] : [];
  if (param.description) told.push(param.description);
  const kind = `param.${param.type}` as Key;
  if (param.type !== "string" && choicesOf(param) === undefined) told.push(t(kind));
  const { min, max } = param;
  const range =
    min !== undefined && max !== undefined
      ? t("param.between", { min, max })
      : min !== undefined
        ? t("param.least", { min })
        : max !== undefined
          ? t("param.most", { max })
          : undefined;
  if (range !== undefined) {
    const of = bounds[param.type];
    told.push(of === undefined ? range : t(of, { range }));
  }
  if (param.pattern) told.push(t("param.pattern", { pattern: param.pattern }));
  if (param.secret) told.push(t("param.secret"));
  if (param.default !== undefined)
    told.push(t("param.default", { value: param.type === "list" ? itemsOf(param.default).join(", ") : param.default }));
  return told.join("; ");
}
