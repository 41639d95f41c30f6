import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, newKey, post } from "../api/client";
import { useT } from "../i18n/language";
import { Deliveries } from "../incidents/deliveries";
import { Act } from "../parts/act";
import { Command } from "../parts/command";
import { Loaded, ProblemView } from "../parts/problem";
import { sinksQuery } from "./queries";

/** Sinks are who is told of incidents; each can be sent a test. */
export function Sinks() {
  const t = useT();
  const query = useQuery(sinksQuery);
  return (
    <Loaded query={query}>
      {({ sinks, latestFailures }) => (
        <div className="grid">
          <section className="card stack">
            <h2>{t("admin.sinks")}</h2>
            <p>{t("sinks.words")}</p>
            {(sinks ?? []).length === 0 ? (
              <>
                <p>{t("sinks.none")}</p>
                <Command text="almanac serve FOLDER --alerts alerts.yaml" />
              </>
            ) : (
              <ul className="lines">
                {(sinks ?? []).map((name) => (
                  <Sink key={name} name={name} />
                ))}
              </ul>
            )}
          </section>
          <section className="card stack">
            <h2>{t("sinks.latest")}</h2>
            {(latestFailures ?? []).length === 0 ? (
              <p className="soft">{t("sinks.latestNone")}</p>
            ) : (
              <Deliveries items={latestFailures ?? []} incidents />
            )}
          </section>
        </div>
      )}
    </Loaded>
  );
}

/** A Sink sends a test the way of every alert, and says what became of it. */
function Sink({ name }: { name: string }) {
  const t = useT();
  const [sent, setSent] = useState("");
  const test = useMutation({
    mutationFn: () => post("/api/v1/sinks/{sink}/test", { path: { sink: name }, body: {}, key: newKey() }),
    onSuccess: (delivery) => setSent(delivery.id),
    onError: () => undefined,
  });
  const delivery = useQuery({
    queryKey: ["status", "delivery", sent],
    queryFn: ({ signal }) => get("/api/v1/deliveries/{id}", { path: { id: sent }, signal }),
    enabled: sent !== "",
    refetchInterval: (query) => (query.state.data?.state === "pending" ? 1_000 : false),
  });
  const state = delivery.data?.state;
  const tried = (delivery.data?.attempts ?? 0) > 0 && delivery.data?.error !== undefined;
  return (
    <li className="stack">
      <div className="row">
        <strong className="grow">{name}</strong>
        <Act needs="operator" disabled={test.isPending} onClick={() => test.mutate()}>
          {t("sinks.test")}
          <span className="hidden">{name}</span>
        </Act>
      </div>
      <div role="status">
        {state === "delivered" && <span className="succeeded">{t("sinks.delivered")}</span>}
        {state !== undefined && state !== "delivered" && tried && (
          <span className="failed">{t("sinks.failed", { why: delivery.data?.error ?? "" })}</span>
        )}
        {(test.isPending || (state === "pending" && !tried)) && <span className="soft">{t("sinks.sending")}</span>}
      </div>
      {test.error && <ProblemView error={test.error} />}
    </li>
  );
}
