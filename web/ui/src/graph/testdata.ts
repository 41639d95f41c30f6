import type { Edge, Graph } from "./data";

export const day = "2026-11-20T03:00:00Z";

/** graphOf is an answer of the server for tests. Nodes are written as "job state hop", edges as "from,from > to count", the first node being the centre. */
export function graphOf(nodes: string[], edges: string[] = [], more: Record<string, { up?: number; down?: number }> = {}): Graph {
  const name = (job: string) => `n-${job}`;
  return {
    at: day,
    nodes: nodes.map((text) => {
      const [job = "", state = "waiting", hop = "0"] = text.split(" ");
      const planned = state !== "unplanned";
      return {
        node: name(job),
        planned,
        hop: Number(hop),
        forecast: {},
        moreUp: more[job]?.up,
        moreDown: more[job]?.down,
        instance: {
          id: planned ? `${[...job].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7)}` : "0",
          workflow: "w",
          job: job.replace(/\d+$/, ""),
          name: `w/${job}@${day}`,
          kind: "scheduled",
          planTime: day,
          notBefore: day,
          priority: 5,
          version: "1",
          state: planned ? (state as Graph["nodes"][number]["instance"]["state"]) : "waiting",
          reason: { code: "planned", text: "planned" },
        },
      };
    }),
    edges: edges.map((text, n): Edge => {
      const [from = "", to = "", count = "1", satisfied = ""] = text.replace(" > ", " ").split(" ");
      return {
        n,
        dependency: n,
        workflow: "w",
        job: from.split(",")[0]?.replace(/\d+$/, "") ?? "",
        count: Number(count),
        open: Number(count) > 1 && satisfied === "" ? 3 : undefined,
        first: "2026-11-20T00:00:00Z",
        last: "2026-11-20T23:45:00Z",
        from: from.split(",").map(name),
        to: name(to),
        rule: "natural-day",
        select: "all",
        onMissing: "run",
        onFailed: "wait",
        satisfied: satisfied === "satisfied",
        text: "",
        window: { from: "2026-11-20T00:00:00Z", to: "2026-11-21T00:00:00Z", closed: "left" },
      };
    }),
  };
}
