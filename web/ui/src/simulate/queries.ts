import { queryOptions } from "@tanstack/react-query";
import { post } from "../api/client";
import { type Ask, type Beside, bodyOf } from "./ask";
import { Foresight } from "./foresight";

/** What was played: the day, what was asked for, and how long the answer took in milliseconds. */
export interface Played {
  foresight: Foresight;
  ask: Ask;
  took: number;
  number: number; // of the answer
}

let answers = 0;

/**
 * A day that is held against another is played with the durations of that one: while the page is open more instances end, and the medians move.
 *
 * The server plays one day at a time, so a page asks for one at a time: what is asked while another is on its way is sent when that has come, or has been taken back.
 * No change of the server's rows touches what was played: it is what would happen, until somebody asks again.
 */
export const foresightQuery = (ask: Ask, beside: (Beside & { id: number }) | undefined, against?: Played) =>
  queryOptions({
    queryKey: ["foresight", JSON.stringify(bodyOf(ask, undefined)), beside?.id ?? 0, against?.number ?? 0],
    queryFn: ({ signal }): Promise<Played> =>
      inTurn(signal, async () => {
        const begun = performance.now();
        const answer = await post("/api/v1/simulate", { body: bodyOf(ask, beside, against?.foresight.answer.durations), signal });
        return { foresight: new Foresight(answer), ask, took: performance.now() - begun, number: ++answers };
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

let last: Promise<void> = Promise.resolve();

/** inTurn does something when all that was begun before it has ended. */
export async function inTurn<T>(signal: AbortSignal, what: () => Promise<T>): Promise<T> {
  const before = last;
  let ended = () => {};
  const mine = new Promise<void>((resolve) => {
    ended = resolve;
  });
  last = before.then(() => mine);
  try {
    await before;
    signal.throwIfAborted();
    return await what();
  } finally {
    ended();
  }
}
