/** Why a part of the page's code is not there. */
export type Lost = "unreachable" | "typed" | "broken";

/** A CodeLost is thrown when a part of the page's code could not be loaded, and loading the page anew would lose something, or does not help. */
export class CodeLost extends Error {
  readonly why: Lost;
  constructor(why: Lost) {
    super(`the code of the page could not be loaded: ${why}`);
    this.why = why;
  }
}

const tries = [500, 2_000];

/**
 * code loads a part of the page's code. What could not be loaded is tried again; then the page itself is loaded anew, once: after an upgrade the server has other
 * files than those that the page knows of.
 */
export async function code<T>(load: () => Promise<T>): Promise<T> {
  for (const wait of [...tries, 0]) {
    try {
      return await load();
    } catch {
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  return await recover();
}

/** recover loads the page anew when that helps and loses nothing; otherwise it throws why not. */
export async function recover(): Promise<never> {
  const served = await build();
  if (served === undefined) throw new CodeLost("unreachable");
  const mark = `${served} ${location.pathname}`;
  if (!once(mark, sessionStorage, Date.now())) throw new CodeLost("broken");
  if (typing()) throw new CodeLost("typed");
  reload(mark);
  return new Promise<never>(() => {}); // the page ends before it could show anything
}

/** reloadNow loads the page anew because a person wants it. */
export function reloadNow(): void {
  location.reload();
}

function reload(mark: string): void {
  sessionStorage.setItem(place, `${Date.now()} ${mark}`);
  location.reload();
}

const place = "almanac.reloaded";
const again = 300_000; // after so long it may be tried once more

/** once reports whether the page has not been loaded anew already for the same build and path. */
export function once(mark: string, storage: Pick<Storage, "getItem">, now: number): boolean {
  const kept = storage.getItem(place) ?? "";
  const at = Number(kept.slice(0, kept.indexOf(" ")));
  return kept.slice(kept.indexOf(" ") + 1) !== mark || now - at > again;
}

/** build is what tells one build of the page from another: the scripts that the server's document names. */
async function build(): Promise<string | undefined> {
  try {
    const answer = await fetch("/", { cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) return undefined;
    return [...(await answer.text()).matchAll(/\/assets\/[\w.-]+/g)].join(" ");
  } catch {
    return undefined;
  }
}

/** What a person has typed into since the page was opened. */
const fields = new Set<HTMLElement>();

/** watchTyping notes what is typed into. A search is no loss, and an address keeps it. */
export function watchTyping(): void {
  addEventListener(
    "input",
    (event) => {
      const field = event.composedPath()[0];
      if (field instanceof HTMLInputElement && field.type === "search") return;
      if (field instanceof HTMLElement) fields.add(field);
    },
    { capture: true },
  );
}

/** typing reports whether something that a person has typed is still on the page. */
export function typing(): boolean {
  for (const field of fields) if (!field.isConnected) fields.delete(field);
  return [...fields].some((field) => !("value" in field) || field.value !== "");
}
