import { useQuery } from "@tanstack/react-query";
import { statusQuery } from "../api/queries";
import { useNow } from "../home/now";

/** A clock that is less wrong than this is taken for right: the way of an answer takes time too. */
const slack = 5_000;

/** useServerNow is the time in whole minutes, by the server's clock: the picture must not depend on how a person's own machine is set. */
export function useServerNow(): number {
  const now = useNow().getTime();
  const { data, dataUpdatedAt } = useQuery(statusQuery);
  if (data === undefined) return now;
  const wrong = Date.parse(data.now) - dataUpdatedAt;
  return Math.abs(wrong) < slack ? now : now + Math.round(wrong / 60_000) * 60_000;
}
