import type { Key } from "../i18n/en";
import { useT } from "../i18n/language";
import { pages } from "../pages";
import { Dialog } from "../parts/dialog";

const places = pages.filter((page) => page.nav);

const keys: [string[], Key][] = [
  [["Ctrl", "K"], "help.palette"],
  [["/"], "help.search"],
  [["g", ...places.map((page) => page.nav?.key ?? "")], "help.go"],
  [["↑", "↓"], "help.move"],
  [["[", "]"], "help.days"],
  [["t"], "help.today"],
  [["Enter"], "help.open"],
  [["Esc"], "help.close"],
  [["?"], "help.help"],
];

export function Help({ onClose }: { onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={t("help.title")} onClose={onClose}>
      <table>
        <tbody>
          {keys.map(([strokes, words]) => (
            <tr key={words}>
              <td>
                <span className="row">
                  {strokes.map((stroke) => (
                    <kbd key={stroke} className="key">
                      {stroke}
                    </kbd>
                  ))}
                </span>
              </td>
              <td>{t(words, { pages: places.map((page) => t(page.title)).join(", ") })}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
