import type { Problem } from "./queries";

/** A Mark is a problem with its place in the text. */
export interface Mark {
  from: number;
  to: number;
  severity: "error" | "warning";
  message: string;
}

/** offsetOf is the position of a line and a column, which counts characters from 1; a place beyond the text is the end of its line, or of the text. */
export function offsetOf(text: string, line: number, column: number): number {
  let begin = 0;
  for (let n = 1; n < line; n++) {
    const next = text.indexOf("\n", begin);
    if (next < 0) return text.length;
    begin = next + 1;
  }
  const end = text.indexOf("\n", begin);
  const characters = Array.from(text.slice(begin, end < 0 ? text.length : end));
  return begin + characters.slice(0, Math.max(0, column - 1)).join("").length;
}

/** marksOf places the problems of one file: each from where it stands to the end of the word there. */
export function marksOf(text: string, file: string, problems: Problem[]): Mark[] {
  return problems
    .filter((one) => one.file === file)
    .map((one) => {
      const from = offsetOf(text, Math.max(1, one.line), one.column);
      const word = /^[^\s:,{}[\]#]+/.exec(text.slice(from, from + 200));
      return {
        from,
        to: Math.min(text.length, from + (word?.[0].length ?? 1)),
        severity: one.severity === "warning" ? "warning" : "error",
        message: one.hint === undefined ? one.message : `${one.message} (${one.hint})`,
      };
    });
}

/** jobAt is where the definition of a job begins, as far as its lines tell; 0 where they do not. */
export function jobAt(text: string, job: string): number {
  if (job === "") return 0;
  let begin = 0;
  for (const line of text.split("\n")) {
    const rest = line.trimStart().replace(/^["']/, "");
    if (rest !== line && rest.startsWith(job) && /^["']?\s*:/.test(rest.slice(job.length))) return begin;
    begin += line.length + 1;
  }
  return 0;
}

/** unplaced are the problems that stand in no line of the file: such as those of workflows that stay as they are loaded. */
export function unplaced(file: string, problems: Problem[]): Problem[] {
  return problems.filter((one) => one.file !== file || one.line === 0);
}
