import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { get } from "../api/client";
import { Glyph } from "../design/state";
import { useT } from "../i18n/language";
import { ProblemView } from "../parts/problem";
import { stamp } from "../parts/time";
import { whole } from "./whole";

const key = ["audit", "chain"];

/** Chain tells how far the hashes of the history were verified, and has the server go on with it, part by part, until it is through. */
export function Chain() {
  const t = useT();
  const client = useQueryClient();
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => get("/api/v1/audit/chain", { signal }),
    staleTime: Number.POSITIVE_INFINITY, // each request is work: it is asked for when it is wished
    retry: false,
  });
  const { data, error } = query;
  const [going, setGoing] = useState(false);
  const left = data !== undefined && data.broken === undefined && Number(data.verifiedTo) < Number(data.last);
  useEffect(() => {
    if (!going || query.isFetching) return;
    if (left) void client.invalidateQueries({ queryKey: key });
    else setGoing(false);
  }, [going, left, query.isFetching, client]);
  if (error) return <ProblemView error={error} />;
  if (data === undefined) return null;
  return (
    <span className="row small">
      <strong>{t("audit.chain")}</strong>
      {data.broken !== undefined ? (
        <span className="state failed wraps" role="alert">
          <Glyph state="failed" /> {t("audit.chainBroken")} {data.broken}
        </span>
      ) : left ? (
        <span>{t("audit.chainSoFar", { to: data.verifiedTo, last: data.last })}</span>
      ) : (
        <span className="state succeeded wraps">
          <Glyph state="succeeded" />{" "}
          {t("audit.chainWhole", { n: Number(data.last) - Number(data.first) + (Number(data.first) > 0 ? 1 : 0) })}
        </span>
      )}
      {data.verifiedAt !== undefined && <span>{t("audit.chainAt", { at: stamp(whole(data.verifiedAt)) })}</span>}
      {data.broken === undefined && (
        <button
          type="button"
          disabled={going}
          onClick={() => {
            setGoing(true);
            void client.invalidateQueries({ queryKey: key });
          }}
        >
          {t(left ? "audit.chainGo" : "audit.chainAgain")}
        </button>
      )}
    </span>
  );
}
