import { useCallback, useEffect, useRef, useState } from "react";
import { useAddress } from "../parts/address";
import { type Form, readForm, type Step, stepNames, writeForm } from "./form";
import type { Filter } from "./planfile";

const looks = ["show", "why", "only", "find", "graph"] as const; // what of the address is no part of the form

/** useWizard keeps the form, and the address as it: what is typed is written there after a moment, a step at once, so that the browser's way back goes by steps. */
export function useWizard() {
  const [search, setSearch] = useAddress();
  const address = search.toString();
  const written = useRef(address);
  const [form, setForm] = useState(() => readForm(search));
  const step: Step = stepNames.find((one) => one === search.get("step")) ?? "jobs";

  useEffect(() => {
    if (address === written.current) return;
    written.current = address; // the way back, or a link
    setForm(readForm(new URLSearchParams(address)));
  }, [address]);

  const write = useCallback(
    (next: Form, at: Step, replace: boolean) => {
      const target = writeForm(next);
      if (at !== "jobs") target.set("step", at);
      const now = new URLSearchParams(location.search);
      for (const name of looks) {
        const value = now.get(name);
        if (value !== null) target.set(name, value);
      }
      if (target.toString() === now.toString()) return;
      written.current = target.toString();
      setSearch(target, { replace });
    },
    [setSearch],
  );
  useEffect(() => {
    const timer = setTimeout(() => write(form, step, true), 300);
    return () => clearTimeout(timer);
  }, [form, step, write]);

  const filter: Filter = {
    show: search.get("show") === "in" ? "in" : search.get("show") === "out" ? "out" : "",
    why: search.get("why") ?? "",
    job: search.get("only") ?? "",
    words: search.get("find") ?? "",
  };
  const look = (values: [(typeof looks)[number], string][]) => {
    const target = new URLSearchParams(location.search);
    for (const [name, value] of values) {
      if (value === "") target.delete(name);
      else target.set(name, value);
    }
    written.current = target.toString();
    setSearch(target, { replace: true });
  };
  const setFilter = (next: Filter) =>
    look([
      ["show", next.show],
      ["why", next.why],
      ["only", next.job],
      ["find", next.words],
    ]);
  const drawn = search.has("graph");
  const draw = (on: boolean) => look([["graph", on ? "1" : ""]]);
  return { form, setForm, step, go: (at: Step, next = form) => write(next, at, false), filter, setFilter, drawn, draw };
}
