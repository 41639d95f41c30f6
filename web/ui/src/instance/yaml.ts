/** yamlOf writes a value as YAML, a line each, as people write definitions: for reading and comparing, not to be read back by a program. */
export function yamlOf(value: unknown): string[] {
  if (isList(value) || isMap(value)) return block(value, "");
  return [scalar(value)];
}

type Tree = Record<string, unknown>;

const isList = (value: unknown): value is unknown[] => Array.isArray(value);
const isMap = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);
const small = (value: unknown) => (isList(value) ? value.length === 0 : isMap(value) ? Object.keys(value).length === 0 : true);

function block(value: unknown[] | Tree, indent: string): string[] {
  if (isList(value)) {
    if (value.every((one) => small(one) && !multiline(one))) return [`${indent}[${value.map(scalar).join(", ")}]`];
    return value.flatMap((one) => {
      const lines = member("-", one, indent);
      const [first, second] = lines;
      // The first member of a map stands behind the dash.
      if (first === `${indent}-` && isMap(one) && second !== undefined)
        return [`${indent}- ${second.slice(indent.length + 2)}`, ...lines.slice(2)];
      return lines;
    });
  }
  return Object.entries(value).flatMap(([key, one]) => member(`${text(key)}:`, one, indent));
}

function member(head: string, value: unknown, indent: string): string[] {
  const inner = `${indent}  `;
  if (multiline(value)) {
    const ends = value.endsWith("\n");
    return [
      `${indent}${head} |${ends ? "" : "-"}`,
      ...(ends ? value.slice(0, -1) : value).split("\n").map((line) => (line === "" ? "" : inner + line)),
    ];
  }
  if (small(value)) return [`${indent}${head} ${scalar(value)}`];
  if (isList(value) && value.every((one) => small(one) && !multiline(one))) return [`${indent}${head} ${block(value, "")[0]}`];
  return isList(value) || isMap(value) ? [`${indent}${head}`, ...block(value, inner)] : [];
}

function multiline(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.includes("\n") &&
    !/[^\n\t\x20-\uffff]/.test(value) &&
    !value.startsWith(" ") &&
    !value.startsWith("\n")
  );
}

function scalar(value: unknown): string {
  if (typeof value === "string") return text(value);
  if (isList(value)) return "[]";
  if (isMap(value)) return "{}";
  return String(value);
}

/** A text that says the same without quotes: words and paths, and times of an instant. */
const plain = /^[\p{L}_./][\p{L}\p{N}_./@%+=<>?$() -]*$|^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?$/u;
const words = /^(?:true|false|null|yes|no|on|off|\.inf|\.nan)$|^\.?[\d.]+$| $/i;

function text(value: string): string {
  return plain.test(value) && !words.test(value) ? value : JSON.stringify(value);
}
