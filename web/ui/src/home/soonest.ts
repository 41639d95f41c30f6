/** soonest are the n that are due first, in this order; of one job only the first, so that one that runs each minute does not hide the others. */
export function soonest<T extends { workflow: string; job: string; planTime: string }>(items: T[], n: number): T[] {
  const seen = new Set<string>();
  return items
    .toSorted((a, b) => Date.parse(a.planTime) - Date.parse(b.planTime))
    .filter((one) => {
      const name = `${one.workflow}/${one.job}`;
      return !seen.has(name) && seen.add(name) !== undefined;
    })
    .slice(0, n);
}
