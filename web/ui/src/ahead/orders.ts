import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { get, type Schemas } from "../api/client";

export type Order = Schemas["OrderAhead"];

const mostPages = 10;

/** ordersQuery lists what people have ordered of due times to come. They are few: people make them. */
export const ordersQuery = queryOptions({
  queryKey: ["list", "orders"],
  queryFn: async ({ signal }) => {
    const all: Order[] = [];
    let cursor: number | undefined = 0;
    for (let page = 0; page < mostPages && cursor !== undefined; page++) {
      const { items, next }: Schemas["OrderList"] = await get("/api/v1/orders", { query: { limit: 1000, cursor }, signal });
      all.push(...(items ?? []));
      cursor = next === undefined ? undefined : Number(next);
    }
    return all;
  },
});

const keyOf = (workflow: string, job: string, at: number) => `${workflow}/${job}@${at}`;

/** An orderOf finds what is ordered of a due time. */
export type OrderOf = (workflow: string, job: string, planTime: string | number) => Order | undefined;

const none: OrderOf = () => undefined;

const finders = new WeakMap<Order[], OrderOf>();

/** useOrders finds what is ordered ahead; the same function as long as nothing else is ordered. */
export function useOrders(): OrderOf {
  const { data } = useQuery(ordersQuery);
  if (data === undefined || data.length === 0) return none;
  let find = finders.get(data);
  if (find === undefined) {
    const all = new Map(data.map((one) => [keyOf(one.workflow, one.job, Date.parse(one.planTime)), one]));
    find = (workflow, job, at) => all.get(keyOf(workflow, job, typeof at === "string" ? Date.parse(at) : at));
    finders.set(data, find);
  }
  return find;
}

/** useOrdersOf are the orders for due times of one job. */
export function useOrdersOf(workflow: string, job: string): Order[] {
  const { data } = useQuery(ordersQuery);
  return useMemo(() => (data ?? []).filter((one) => one.workflow === workflow && one.job === job), [data, workflow, job]);
}

/** plannedHref is the page of a due time that is not written down yet. */
export function plannedHref(workflow: string, job: string, planTime: string): string {
  return `/planned?${new URLSearchParams({ i: `${workflow}/${job}@${planTime}` })}`;
}
