/** downstream is a node with everything that can be reached from it along the lines. */
export function downstream(begin: string, lines: { from: string; to: string }[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of lines) next.set(from, [...(next.get(from) ?? []), to]);
  const reached = new Set([begin]);
  for (const one of reached) for (const to of next.get(one) ?? []) reached.add(to);
  return [...reached];
}
