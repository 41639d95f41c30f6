import { Graph, layout } from "@dagrejs/dagre";

/** What is to be laid out: boxes by their index, and edges from one to another. */
export interface Plan {
  boxes: { width: number; height: number }[];
  edges: [number, number][];
}

export interface Laid {
  places: [number, number][]; // the left upper corner of each box
  bends: [number, number][][]; // of each edge, the points between its ends
  took: number; // milliseconds
}

/** arrange lays a graph out from left to right: what is waited for stands left of what waits. */
export function arrange({ boxes, edges }: Plan): Laid {
  const begin = performance.now();
  const graph = new Graph({ directed: true, multigraph: true });
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", nodesep: 22, ranksep: 66, edgesep: 10, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  boxes.forEach((box, n) => {
    graph.setNode(String(n), { ...box });
  });
  edges.forEach(([from, to], n) => {
    graph.setEdge(String(from), String(to), {}, String(n));
  });
  layout(graph);
  const places = boxes.map((box, n): [number, number] => {
    const { x = 0, y = 0 } = graph.node(String(n));
    return [x - box.width / 2, y - box.height / 2];
  });
  const bends = edges.map(([from, to], n) =>
    ((graph.edge(String(from), String(to), String(n)).points ?? []) as { x: number; y: number }[])
      .slice(1, -1) // the first and the last are on the edges of the boxes
      .map(({ x, y }): [number, number] => [x, y]),
  );
  return { places, bends, took: performance.now() - begin };
}

/** curve is the path of an edge through its bends, as smooth steps. */
export function curve(from: [number, number], bends: [number, number][], to: [number, number]): string {
  let path = `M${round(from[0])} ${round(from[1])}`;
  let [x, y] = from;
  for (const [nextX, nextY] of [...bends, to]) {
    const half = nextX >= x ? (nextX - x) / 2 : Math.min(80, x - nextX); // a line that leads back swings out
    path += `C${round(x + half)} ${round(y)} ${round(nextX - half)} ${round(nextY)} ${round(nextX)} ${round(nextY)}`;
    [x, y] = [nextX, nextY];
  }
  return path;
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}
