import { useEffect } from "react";
import { useT } from "../i18n/language";
import { type Lost, recover, reloadNow } from "./code";

const askEvery = 3_000;

/** LostCode says that a part of the page's code is not there, and what becomes of it. */
export function LostCode({ why }: { why: Lost }) {
  const t = useT();
  useEffect(() => {
    if (why !== "unreachable") return;
    const timer = setInterval(() => recover().catch(() => undefined), askEvery);
    return () => clearInterval(timer);
  }, [why]);
  return (
    <div className="problem stack" role="alert">
      <strong>{t("code.lost")}</strong>
      <p>{t(`code.${why}`)}</p>
      {why !== "unreachable" && (
        <div className="row">
          <button type="button" onClick={reloadNow}>
            {t("code.reload")}
          </button>
        </div>
      )}
    </div>
  );
}
