/** A Line is a line of a comparison: in both texts, in the later one alone (+), or in the earlier one alone (−). */
export interface Line {
  sign: " " | "+" | "-";
  text: string;
}

/**
 * diff compares two lists of lines by the shortest list of changes that makes the one of the other (Myers' greedy search). Of texts that have hardly anything in common the search
 * would be long: past so many changes one is taken whole for the other.
 */
export function diff(before: string[], after: string[], most = 1000): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail++;
  const same = (list: string[]): Line[] => list.map((text) => ({ sign: " ", text }));
  return [
    ...same(before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), most),
    ...same(before.slice(before.length - tail)),
  ];
}

function middle(before: string[], after: string[], most: number): Line[] {
  const whole = (): Line[] => [...before.map((text): Line => ({ sign: "-", text })), ...after.map((text): Line => ({ sign: "+", text }))];
  if (before.length === 0 || after.length === 0) return whole();
  const steps = search(before, after, most);
  return steps === null ? whole() : walk(before, after, steps);
}

/** search finds how far one comes on each diagonal with each number of changes; null when that is more than most. */
function search(before: string[], after: string[], most: number): Int32Array[] | null {
  const limit = Math.min(most, before.length + after.length);
  const reach = new Int32Array(2 * limit + 3);
  const middle = limit + 1;
  const steps: Int32Array[] = [];
  for (let d = 0; d <= limit; d++) {
    steps.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(reach, middle + k - 1) < at(reach, middle + k + 1));
      let x = down ? at(reach, middle + k + 1) : at(reach, middle + k - 1) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      reach[middle + k] = x;
      if (x >= before.length && x - k >= after.length) return steps;
    }
  }
  return null;
}

/** walk goes the found way back and writes it down. */
function walk(before: string[], after: string[], steps: Int32Array[]): Line[] {
  const lines: Line[] = [];
  let x = before.length;
  let y = after.length;
  for (let d = steps.length - 1; d >= 0; d--) {
    const reach = steps[d] as Int32Array; // of diagonals -d-1 to d+1
    const on = (k: number) => at(reach, k + d + 1);
    const k = x - y;
    const down = k === -d || (k !== d && on(k - 1) < on(k + 1));
    const fromX = d === 0 ? 0 : down ? on(k + 1) : on(k - 1);
    const fromY = d === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      x--;
      y--;
      lines.push({ sign: " ", text: before[x] ?? "" });
    }
    if (d === 0) break;
    if (down) lines.push({ sign: "+", text: after[--y] ?? "" });
    else lines.push({ sign: "-", text: before[--x] ?? "" });
    x = fromX;
    y = fromY;
  }
  return lines.reverse();
}

function at(list: Int32Array, n: number): number {
  return list[n] ?? 0;
}

/** A Hunk is a stretch of a comparison about its changes; skipped is how many equal lines are left out before it. */
export interface Hunk {
  skipped: number;
  lines: Line[];
}

/** hunks keeps so many equal lines about each change; rest is how many are left out at the end. Without any change there is no hunk. */
export function hunks(lines: Line[], about = 3): { hunks: Hunk[]; rest: number } {
  const kept = new Uint8Array(lines.length);
  for (const [n, line] of lines.entries()) {
    if (line.sign !== " ") kept.fill(1, Math.max(0, n - about), Math.min(lines.length, n + about + 1));
  }
  const list: Hunk[] = [];
  let skipped = 0;
  let open: Hunk | null = null;
  for (const [n, line] of lines.entries()) {
    if (kept[n] === 0) {
      skipped++;
      open = null;
      continue;
    }
    if (open === null) {
      open = { skipped, lines: [] };
      list.push(open);
      skipped = 0;
    }
    open.lines.push(line);
  }
  return { hunks: list, rest: skipped };
}
