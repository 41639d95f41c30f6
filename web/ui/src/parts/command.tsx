import { useRef } from "react";
import { useT } from "../i18n/language";
import { toast } from "../shell/toasts";

/** Command shows a command line that can be copied. */
export function Command({ text }: { text: string }) {
  const t = useT();
  const place = useRef<HTMLElement>(null);
  return (
    <span className="command">
      <code ref={place}>{text}</code>
      <button
        type="button"
        className="plain small"
        onClick={() => {
          if (isSecureContext) void navigator.clipboard.writeText(text).then(() => toast({ text: t("copied") }));
          else if (place.current) getSelection()?.selectAllChildren(place.current); // without TLS a page may not write there: it is marked to be copied
        }}
      >
        {t("copy")}
      </button>
    </span>
  );
}
