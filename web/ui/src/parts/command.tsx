import { useT } from "../i18n/language";
import { toast } from "../shell/toasts";

/** Command shows a command line that can be copied. */
export function Command({ text }: { text: string }) {
  const t = useT();
  return (
    <span className="command">
      <code>{text}</code>
      <button
        type="button"
        className="plain small"
        onClick={() => {
          void navigator.clipboard.writeText(text).then(() => toast({ text: t("copied") }));
        }}
      >
        {t("copy")}
      </button>
    </span>
  );
}
