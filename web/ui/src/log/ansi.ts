/** A Piece is a stretch of a line with the classes that its colours and weights became. */
export interface Piece {
  text: string;
  classes: string;
}

interface Look {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  colour: number; // 0..7, -1 is none
}

const plain: Look = { bold: false, dim: false, italic: false, underline: false, colour: -1 };

// A control sequence (CSI), an operating system command (OSC) up to its end, or another escape of two characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are control characters
const escapes = /\u001b\[([0-9;:?<=>!]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[^[\]]|\u001b$/g;
// What is left has no picture, or, as the marks that turn the direction of writing, shows a text as another than it is.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * pieces reads the escapes of a line by a closed table: the eight colours, also bright ones, bold, dim, italic and underlined become classes; every other
 * escape is left out, links among them. A line begins plain.
 */
export function pieces(line: string): Piece[] {
  if (!line.includes("\u001b")) return [{ text: visible(line), classes: "" }];
  const list: Piece[] = [];
  let look = plain;
  let at = 0;
  const add = (text: string) => {
    const shown = visible(text);
    if (shown === "") return;
    const classes = classesOf(look);
    const last = list.at(-1);
    if (last?.classes === classes) last.text += shown;
    else list.push({ text: shown, classes });
  };
  for (const match of line.matchAll(escapes)) {
    add(line.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") look = turn(look, match[1] ?? "");
  }
  add(line.slice(at));
  return list.length > 0 ? list : [{ text: "", classes: "" }];
}

/** stripped is a line without its escapes, as it is searched. */
export function stripped(line: string): string {
  return visible(line.includes("\u001b") ? line.replace(escapes, "") : line);
}

function visible(text: string): string {
  return text.replace(unseen, "\ufffd");
}

function turn(look: Look, codes: string): Look {
  let next = { ...look };
  const list = codes.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  for (let n = 0; n < list.length; n++) {
    const code = list[n] ?? -1;
    if (code === 0) next = { ...plain };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 22) {
      next.bold = false;
      next.dim = false;
    } else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code >= 30 && code <= 37) next.colour = code - 30;
    else if (code >= 90 && code <= 97) next.colour = code - 90;
    else if (code === 39) next.colour = -1;
    else if (code === 38 || code === 48) n += list[n + 1] === 5 ? 2 : list[n + 1] === 2 ? 4 : 0; // 256 and all colours: not shown
  }
  return next;
}

function classesOf(look: Look): string {
  const list: string[] = [];
  if (look.bold) list.push("ansi-bold");
  if (look.dim) list.push("ansi-dim");
  if (look.italic) list.push("ansi-italic");
  if (look.underline) list.push("ansi-underline");
  if (look.colour >= 0) list.push(`ansi-fg-${look.colour}`);
  return list.join(" ");
}
