import { useEffect, useRef, useState } from "react";
import { arrangeInWorker } from "./arrange";

export interface Sized {
  key: string;
  width: number;
  height: number;
}

/** An Arrangement says where each node stands, and how each line bends. */
export interface Arrangement {
  shape: string;
  places: Map<string, [number, number]>;
  bends: Map<string, [number, number][]>;
}

/** useLayout lays nodes and lines out whenever their shape is another one; as long as it is not, places stay, whatever the colours do. */
export function useLayout(shape: string, nodes: Sized[], lines: { key: string; from: string; to: string }[], enabled: boolean) {
  const [arrangement, setArrangement] = useState<Arrangement | null>(null);
  const [failed, setFailed] = useState<string | null>(null); // the shape that could not be laid out
  const input = useRef({ nodes, lines });
  input.current = { nodes, lines };
  useEffect(() => {
    if (!enabled) return;
    const { nodes, lines } = input.current;
    const index = new Map(nodes.map((node, n) => [node.key, n]));
    const edges = lines.map((line): [number, number] => [index.get(line.from) ?? 0, index.get(line.to) ?? 0]);
    const abort = new AbortController();
    arrangeInWorker({ boxes: nodes.map(({ width, height }) => ({ width, height })), edges }, abort.signal).then(
      (laid) => {
        setFailed(null);
        setArrangement({
          shape,
          places: new Map(nodes.map((node, n) => [node.key, laid.places[n] ?? [0, 0]])),
          bends: new Map(lines.map((line, n) => [line.key, laid.bends[n] ?? []])),
        });
      },
      () => {
        if (!abort.signal.aborted) setFailed(shape);
      },
    );
    return () => abort.abort();
  }, [shape, enabled]);
  return { arrangement, failed: failed === shape, pending: enabled && failed !== shape && arrangement?.shape !== shape };
}
