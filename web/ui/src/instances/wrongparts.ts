/** A Part is a stretch of a selector, and whether it is a term that cannot be read. */
export interface Part {
  at: number;
  text: string;
  wrong: boolean;
}

const encoder = new TextEncoder();

/** wrongParts cuts a selector at the terms that the server's mistakes name by their columns, counted from 1 in bytes. */
export function wrongParts(selector: string, mistakes: string[]): Part[] {
  const characters = [...selector];
  const wrong = new Set<number>(); // where each such term begins
  const starts = new Map<number, number>(); // by byte, which character begins there
  let bytes = 0;
  characters.forEach((character, at) => {
    starts.set(bytes, at);
    bytes += encoder.encode(character).length;
  });
  for (const mistake of mistakes) {
    const column = /^column (\d+):/.exec(mistake)?.[1];
    let at = starts.get(Number(column ?? 0) - 1);
    if (at === undefined) continue;
    while (at > 0 && characters[at - 1] !== " ") at--;
    wrong.add(at);
  }
  const parts: Part[] = [];
  for (let at = 0; at < characters.length; ) {
    const marked = wrong.has(at);
    let end = at;
    while (end < characters.length && (marked ? characters[end] !== " " : !wrong.has(end) || end === at)) end++;
    parts.push({ at, text: characters.slice(at, end).join(""), wrong: marked });
    at = end;
  }
  return parts;
}
