import type { Translate } from "../i18n/language";
import { known } from "../i18n/language";
import { beside, clock } from "../parts/time";
import { type Edge, stateOf } from "./data";
import type { Drawn, Line } from "./draw";

export function stateWord(state: string, t: Translate): string {
  const key = `state.${state}`;
  return known(key) ? t(key) : state;
}

/** nameOf names a node of the picture in one line. */
export function nameOf(node: Drawn, t: Translate): string {
  switch (node.kind) {
    case "instance":
      return `${node.item.instance.workflow}/${node.item.instance.job} ${clock(node.item.instance.planTime)}`;
    case "range":
      return t("graph.range", { n: node.wait.edge.count, job: `${node.wait.edge.workflow}/${node.wait.edge.job}` });
    case "job":
      return t("graph.job", { n: node.items.length, job: `${node.workflow}/${node.job}` });
  }
}

/** sayNode is what a reader of the screen hears of a node. */
export function sayNode(node: Drawn, t: Translate): string {
  const name = nameOf(node, t);
  if (node.kind === "range") return `${name}, ${rangeWords(node, t)}`;
  if (node.kind === "job") return node.root !== "" ? `${name}, ${t("graph.root")}` : name;
  return t(node.root !== "" ? "graph.nodeRoot" : "graph.node", { name, state: stateWord(stateOf(node.item), t) });
}

export function rangeWords(node: Extract<Drawn, { kind: "range" }>, t: Translate): string {
  if (node.wait.edge.satisfied) return t("graph.rangeDone");
  if (node.open === 0) return t("instance.unsatisfied"); // what it asks for is more than there is
  return t("graph.rangeOpen", { n: node.open >= 100 ? "100+" : node.open });
}

/** rangeState is the colour of a range's words: what is only still to come is not told in that of a failure. */
export function rangeState(node: Extract<Drawn, { kind: "range" }>): "succeeded" | "failed" | "waiting" {
  if (node.wait.edge.satisfied) return "succeeded";
  return node.blocking === "urgent" ? "failed" : "waiting";
}

/** shortWords are on a line beside what is marked. */
export function shortWords(edge: Edge, t: Translate): string {
  return edge.count > 1 ? t("graph.short", { n: edge.count, rule: edge.rule }) : edge.rule;
}

/** lineWords are the rule and the window of a dependency. */
export function lineWords(edge: Edge, t: Translate): string {
  const values = {
    n: edge.count,
    rule: edge.pair ?? edge.rule,
    from: beside(edge.window.from, edge.first),
    to: beside(edge.window.to, edge.first),
  };
  return edge.count > 1 ? t("graph.labelRange", values) : t("graph.label", values);
}

/** sayLine is what a reader of the screen hears of a line. */
export function sayLine(line: Line, nodes: Map<string, Drawn>, t: Translate): string {
  const [from, to] = [nodes.get(line.from), nodes.get(line.to)];
  if (!from || !to) return "";
  const wait = line.waits[0];
  const words = t("graph.lineOf", { from: nameOf(from, t), to: nameOf(to, t) });
  return wait === undefined ? `${nameOf(from, t)}: ${t("graph.member")}` : `${words}: ${lineWords(wait.edge, t)}`;
}

/** selectNeeds says how many of a range a dependency needs. */
export function selectNeeds(select: string, t: Translate): string {
  return select === "all" || select === "any" ? t(`graph.select.${select}`) : t("graph.select.some", { n: select });
}
