import { useT } from "../i18n/language";
import { Line, Wrong } from "./field";
import type { Field, Form } from "./form";

export type LaneForm = Pick<Form, "parallel" | "priority" | "shareMin" | "shareMax" | "windowFrom" | "windowTo" | "windowZone">;

const zones = typeof Intl.supportedValuesOf === "function" ? Intl.supportedValuesOf("timeZone") : [];

/** LaneFields ask how a backfill goes on beside the day: what may be changed while it does. */
export function LaneFields<F extends LaneForm>(props: { form: F; onChange: (form: F) => void; wrong: (field: Field) => string[] }) {
  const t = useT();
  const { form, wrong } = props;
  const set = (part: Partial<LaneForm>) => props.onChange({ ...form, ...part });
  return (
    <div className="asks">
      <Line
        label={t("wizard.parallel")}
        hint={t("wizard.parallelHint")}
        className="narrow"
        numeric
        value={form.parallel}
        onChange={(parallel) => set({ parallel })}
        wrong={wrong("parallel")}
      />
      <fieldset className="asked pair">
        <legend>{t("wizard.share")}</legend>
        <Line
          label={t("wizard.shareMin")}
          className="narrow"
          numeric
          placeholder="1"
          value={form.shareMin}
          onChange={(shareMin) => set({ shareMin })}
        />
        <Line
          label={t("wizard.shareMax")}
          className="narrow"
          numeric
          placeholder="¼"
          value={form.shareMax}
          onChange={(shareMax) => set({ shareMax })}
          invalid={wrong("share").length > 0}
        />
        <Wrong list={wrong("share")} />
        <p className="soft small">{t("wizard.shareHint")}</p>
      </fieldset>
      <Line
        label={t("wizard.priority")}
        hint={t("wizard.priorityHint")}
        className="narrow"
        numeric
        value={form.priority}
        onChange={(priority) => set({ priority })}
        wrong={wrong("priority")}
      />
      <fieldset className="asked pair">
        <legend>{t("wizard.window")}</legend>
        <Line
          label={t("wizard.windowFrom")}
          className="narrow"
          placeholder="22:00"
          value={form.windowFrom}
          onChange={(windowFrom) => set({ windowFrom })}
        />
        <Line
          label={t("wizard.windowTo")}
          className="narrow"
          placeholder="06:00"
          value={form.windowTo}
          onChange={(windowTo) => set({ windowTo })}
        />
        <Line
          label={t("wizard.windowZone")}
          list="almanac-zones"
          placeholder="UTC"
          value={form.windowZone}
          onChange={(windowZone) => set({ windowZone })}
          invalid={wrong("window").length > 0}
        />
        <Wrong list={wrong("window")} />
        <datalist id="almanac-zones">
          {zones.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <p className="soft small">{t("wizard.windowHint")}</p>
      </fieldset>
    </div>
  );
}
