import { useQuery } from "@tanstack/react-query";
import { useT } from "../i18n/language";
import { takenBy } from "../instance/operation";
import { useRefusal } from "../parts/act";
import { useAddress } from "../parts/address";
import { toast } from "../shell/toasts";
import type { Acts } from "./acts";
import { jobOf, type Picture } from "./draw";
import { type Entry, Menu } from "./menu";
import type { PanelActs } from "./panel";
import { explainedQuery } from "./queries";
import { nameOf } from "./words";

/** The NodeMenu is what can be done with a node. Its operations open the dialog that the panel has, with its preview. */
export function NodeMenu(props: {
  node: string;
  x: number;
  y: number;
  picture: Picture;
  at: string;
  acts: Acts & PanelActs;
  onClose: () => void;
}) {
  const { picture, at, acts } = props;
  const t = useT();
  const [, setSearch] = useAddress();
  const refusal = useRefusal("operator");
  const node = picture.nodes.get(props.node);
  const item = node?.kind === "instance" ? node.item : undefined;
  const explained = useQuery({ ...explainedQuery(item?.key ?? "", at), enabled: item?.planned === true });
  if (!node) return null;
  const entries: Entry[] = [];
  if (item) {
    if (item.planned) entries.push({ text: t("graph.page"), run: () => acts.open(node.key) });
    if (node.key !== picture.centre) entries.push({ text: t("graph.middle"), run: () => acts.middle(item) });
    if (item.moreUp > 0) entries.push({ text: t("graph.moreUp", { n: item.moreUp }), run: () => acts.expand(node.key, "up") });
    if (item.moreDown > 0) entries.push({ text: t("graph.moreDown", { n: item.moreDown }), run: () => acts.expand(node.key, "down") });
    entries.push({ text: t("graph.together"), run: () => acts.toggleJob(jobOf(item.instance)) });
    for (const operation of explained.data && at === "" ? takenBy(explained.data) : []) {
      entries.push({
        text: `${t(`op.${operation}`)}…`,
        run: () => {
          if (refusal !== undefined) return toast({ text: refusal, bad: true });
          setSearch(
            (before) => {
              const next = new URLSearchParams(before);
              next.set("sel", node.key);
              next.set("do", operation);
              return next;
            },
            { replace: true },
          );
        },
      });
    }
  } else if (node.kind === "range") {
    const { range } = node.wait;
    entries.push({ text: t("graph.rangeShow"), run: () => acts.toggleRange(range, true) });
    if (node.shown > 0) entries.push({ text: t("graph.rangeHide"), run: () => acts.toggleRange(range, false) });
  } else if (node.kind === "job") entries.push({ text: t("graph.apart"), run: () => acts.toggleJob(jobOf(node)) });
  return <Menu name={nameOf(node, t)} x={props.x} y={props.y} entries={entries} onClose={props.onClose} />;
}
