/** A Draft is a text that somebody has begun to change, with the one that was loaded then. It is kept in the tab, so that a look at another page loses nothing. */
export interface Draft {
  base: string;
  text: string;
}

const place = (workflow: string) => `almanac.draft.${workflow}`;

export function readDraft(workflow: string): Draft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place(workflow)) ?? "null");
    if (typeof kept === "object" && kept !== null && "base" in kept && "text" in kept) return kept as Draft;
  } catch {
    // Another version of the page may have written something else.
  }
  return null;
}

/** keepDraft keeps a text that differs from the loaded one. One that the browser has no room for is not kept. */
export function keepDraft(workflow: string, draft: Draft | null): void {
  try {
    if (draft === null || draft.text === draft.base) sessionStorage.removeItem(place(workflow));
    else sessionStorage.setItem(place(workflow), JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(place(workflow));
  }
}
