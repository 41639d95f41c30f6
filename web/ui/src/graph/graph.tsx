import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { useAddress } from "../parts/address";
import "./graph.css";
import { useT } from "../i18n/language";
import { Loaded } from "../parts/problem";
import { Around } from "./around";
import { explainedQuery } from "./queries";
import { readPlace } from "./state";

/** GraphPage is what is around an instance: one by its id, or one by its name, which may not be planned yet. */
export default function GraphPage() {
  const { id } = useParams<{ id?: string }>();
  const [search] = useAddress();
  const who = id ?? search.get("i") ?? "";
  if (who === "") return <WhichOne />;
  return <Explained key={who} who={who} at={readPlace(search).at} />;
}

function Explained({ who, at }: { who: string; at: string }) {
  const query = useQuery(explainedQuery(who, at));
  return <Loaded query={query}>{(explanation) => <Around who={who} explanation={explanation} />}</Loaded>;
}

function WhichOne() {
  const t = useT();
  const [, go] = useLocation();
  const [name, setName] = useState("");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== "") go(`/graph?i=${encodeURIComponent(name)}`);
      }}
    >
      <h1>{t("graph.nobody")}</h1>
      <label className="field">
        {t("graph.name")}
        <input data-search="" type="text" maxLength={300} value={name} onChange={(event) => setName(event.target.value.trim())} />
      </label>
      <p className="soft">{t("graph.nobodyHint")}</p>
      <div>
        <button type="submit" className="primary">
          {t("graph.page")}
        </button>
      </div>
    </form>
  );
}
