import { Link } from "wouter";
import { useT } from "../i18n/language";

/** Known tells of an incident, and who knows of it. */
export function Known({ id, who }: { id: string; who: string | undefined }) {
  const t = useT();
  return (
    <>
      <Link href={`/incidents/${id}`}>
        {t("incident.title")} {id}
      </Link>
      {who !== undefined ? (
        <span className="succeeded">{t("home.known", { who })}</span>
      ) : (
        <Link href={`/incidents/${id}?do=ack`}>{t("incident.ack")}…</Link>
      )}
    </>
  );
}
