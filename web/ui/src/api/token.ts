/**
 * The token of this tab. It is kept in the tab's own storage: the server looks at no cookie ever, so that no other site can act in a person's name, and it
 * is gone when the tab is. Another tab of the same person is asked for it first, so that a link opened in a new one needs no second entry.
 */
const place = "almanac.token";

type Listener = () => void;
const listeners = new Set<Listener>();
/** Why the server wants a token: null while it does not. */
export type Demand = null | "needed" | "expired" | "invalid";
let demand: Demand = null;

const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("almanac");

type Message = { kind: "ask" } | { kind: "token"; token: string } | { kind: "leave" };

if (tabs) {
  tabs.onmessage = (event: MessageEvent<Message>) => {
    const message = event.data;
    if (message.kind === "ask" && token() !== "" && demand === null) tabs.postMessage({ kind: "token", token: token() } satisfies Message);
    if (message.kind === "token" && demand === "needed" && message.token !== token()) enter(message.token);
    if (message.kind === "leave" && token() !== "") forget();
  };
}

export function token(): string {
  return sessionStorage.getItem(place) ?? "";
}

export function enter(value: string): void {
  sessionStorage.setItem(place, value);
  demand = null;
  tell();
}

/** leave forgets the token in every tab. */
export function leave(): void {
  tabs?.postMessage({ kind: "leave" } satisfies Message);
  forget();
}

function forget(): void {
  sessionStorage.clear(); // with what was begun to be written under it
  demand = "needed";
  tell();
}

/** refused notes that the server did not take the token that was sent; one that has been replaced meanwhile is none of our business. */
export function refused(sent: string, code: string): void {
  if (sent !== token() || demand !== null) return;
  demand = sent === "" ? "needed" : code === "token-expired" ? "expired" : "invalid";
  // Who has none may have that of another tab; who had one of their own does not become somebody else without being asked.
  if (demand === "needed") tabs?.postMessage({ kind: "ask" } satisfies Message);
  tell();
}

export function demanded(): Demand {
  return demand;
}

export function onToken(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}
