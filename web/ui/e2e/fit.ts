import type { Page } from "playwright-core";

/**
 * misfits says what of a page does not fit its window: that it scrolls sideways, words that are broken though they are short, texts that lie over others, and
 * texts that are cut off with no way to read them. What lies in a part that scrolls by itself is not looked for beyond that part's edges.
 */
export function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const short = 110; // a word that is no wider is never broken
    const least = 56; // and no piece of a wider one is narrower on average
    const wide = (one: Element, name: string) => {
      if (one.scrollWidth <= one.clientWidth + 1) return;
      const edge = one.getBoundingClientRect().right + 1;
      const out = [...one.querySelectorAll("*")].filter((at) => at.getBoundingClientRect().right > edge).slice(-2);
      const blame = out.map((at) => `${at.tagName} ${at.getAttribute("class") ?? ""}`).join(", ");
      found.add(`${name} scrolls sideways: ${one.scrollWidth} > ${one.clientWidth} (${blame})`);
    };
    wide(document.documentElement, "the document");
    const main = document.querySelector(".main");
    if (main) wide(main, "the page");

    const words = (text: string) => text.trim().replace(/\s+/g, " ").slice(0, 60);
    const where = (one: Element) =>
      `${one.closest("section, dialog, header, form, table, [class]")?.className || one.tagName}`.slice(0, 40);
    const styles = new Map<Element, CSSStyleDeclaration>();
    const style = (one: Element) => {
      const known = styles.get(one) ?? getComputedStyle(one);
      styles.set(one, known);
      return known;
    };
    const chain = (one: Element | null) => {
      const list: Element[] = [];
      for (let at = one; at && at !== document.documentElement; at = at.parentElement) list.push(at);
      return list;
    };
    /** clip is what of a rectangle can be seen within the parts that hold it. */
    const clip = (one: Element, box: DOMRect) => {
      let { left, top, right, bottom } = box;
      for (const at of chain(one)) {
        if (style(at).overflowX === "visible" && style(at).overflowY === "visible") continue;
        const edge = at.getBoundingClientRect();
        [left, top, right, bottom] = [
          Math.max(left, edge.left),
          Math.max(top, edge.top),
          Math.min(right, edge.right),
          Math.min(bottom, edge.bottom),
        ];
      }
      return { left, top, right, bottom };
    };
    interface Piece {
      of: Element;
      text: string;
      node: Node;
      left: number;
      top: number;
      right: number;
      bottom: number;
    }
    const pieces: Piece[] = [];
    const root = document.querySelector("dialog[open]") ?? document.body;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const said = new Set<Element>();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const of = node.parentElement;
      const text = node.textContent ?? "";
      if (!of || text.trim() === "" || of.closest(".hidden, .skip, script, style, option, .cm-editor, svg")) continue;
      if (!of.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        const seen = clip(of, box);
        const line = of.closest(".line")?.getBoundingClientRect();
        if (line && (seen.top < line.top - 1 || seen.bottom > line.bottom + 1)) found.add(`"${words(text)}" sticks out of its line`);
        if (seen.right - seen.left > 2 && seen.bottom - seen.top > 4) pieces.push({ of, node, text: words(text), ...seen });
      }
      // What is cut off can be read by a title, or by scrolling.
      const holder = chain(of).find((one) => style(one).overflowX !== "visible" && style(one).display !== "inline");
      if (holder && !said.has(holder) && ["hidden", "clip"].includes(style(holder).overflowX)) {
        range.selectNodeContents(node);
        const [box, edge] = [range.getBoundingClientRect(), holder.getBoundingClientRect()];
        if (box.right > edge.right + 1.5 && !of.closest("[title]") && !holder.querySelector(":scope > [title]")) {
          said.add(holder);
          found.add(`${where(of)}: "${words(text)}" is cut off`);
        }
      }
      // A word ends at a space and at a hyphen. A command is broken wherever its line ends.
      if (of.closest("code, pre")) continue;
      for (const match of text.matchAll(/[^\s\p{Script=Han}，。；：、（）-]{2,}/gu)) {
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const lines = new Map<number, number>();
        for (const box of range.getClientRects()) lines.set(Math.round(box.top), (lines.get(Math.round(box.top)) ?? 0) + box.width);
        if (lines.size < 2) continue;
        const width = [...lines.values()].reduce((sum, one) => sum + one, 0);
        if (width <= short || width / lines.size < least)
          found.add(`${where(of)}: "${match[0]}" (${Math.round(width)} px) is broken into ${lines.size} lines`);
      }
    }
    // A text may lie over another only in what stays in sight while the rest is scrolled, or is open over the page.
    const layer = (one: Element) => chain(one).find((at) => ["sticky", "fixed"].includes(style(at).position));
    pieces.sort((a, b) => a.top - b.top);
    for (const [n, a] of pieces.entries()) {
      for (let m = n + 1; m < pieces.length; m++) {
        const b = pieces[m];
        if (b === undefined || b.top > a.bottom - 3) break;
        if (a.node === b.node) continue;
        const over = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (over <= 3 || high <= 4 || layer(a.of) !== layer(b.of)) continue;
        found.add(`"${a.text}" (${where(a.of)}) and "${b.text}" (${where(b.of)}) lie over each other`);
      }
    }
    return [...found].sort();
  });
}
