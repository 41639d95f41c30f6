import { useQuery } from "@tanstack/react-query";
import { Redirect } from "wouter";
import { explainByNameQuery } from "../api/queries";
import { useT } from "../i18n/language";
import { useAddress } from "../parts/address";
import { Loaded } from "../parts/problem";
import { Shown } from "./instance";

/** PlannedPage is a due time to come that is named: what it will wait for, and what can be ordered of it ahead. Once it is written down its own page is shown. */
export default function PlannedPage() {
  const t = useT();
  const [search] = useAddress();
  const name = search.get("i") ?? "";
  const query = useQuery({ ...explainByNameQuery(name), enabled: name !== "" });
  if (name === "") return <p className="problem">{t("ahead.wrongName")}</p>;
  return (
    <Loaded query={query}>
      {(explanation) =>
        explanation.planned && explanation.instance.id !== "0" ? (
          <Redirect to={`/instances/${explanation.instance.id}`} replace />
        ) : (
          <Shown explanation={explanation} />
        )
      }
    </Loaded>
  );
}
