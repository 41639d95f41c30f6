import { useT } from "../i18n/language";
import { Line, Tick } from "./field";
import type { Field, Form } from "./form";
import { LaneFields } from "./lane";

/** HowStep asks how it is carried out. */
export function HowStep(props: { form: Form; onChange: (form: Form) => void; wrong: (field: Field) => string[] }) {
  const t = useT();
  const { form, onChange, wrong } = props;
  const set = (part: Partial<Form>) => onChange({ ...form, ...part });
  return (
    <div className="columns">
      <section className="card stack">
        <h2>{t("wizard.order")}</h2>
        {(["asc", "desc"] as const).map((order) => (
          <label className="tick" key={order}>
            <input type="radio" name="order" checked={form.order === order} onChange={() => set({ order })} />
            <span>{t(`wizard.order.${order}`)}</span>
            <span className="soft small">{t(`wizard.orderHint.${order}`)}</span>
          </label>
        ))}
        <Tick label={t("wizard.byDay")} hint={t("wizard.byDayHint")} checked={form.byDay} onChange={(byDay) => set({ byDay })} />
        <Tick
          label={t("wizard.stop")}
          hint={t("wizard.stopHint")}
          checked={form.stopOnFailure}
          onChange={(stopOnFailure) => set({ stopOnFailure })}
        />
        <Tick
          label={t("wizard.ignore")}
          hint={t("wizard.ignoreHint")}
          checked={form.ignoreMissing}
          onChange={(ignoreMissing) => set({ ignoreMissing })}
        />
        <Line
          label={t("wizard.onlySteps")}
          hint={t("wizard.onlyStepsHint")}
          value={form.steps}
          onChange={(steps) => set({ steps })}
          wrong={wrong("steps")}
        />
      </section>
      <section className="card stack">
        <h2>{t("wizard.lane")}</h2>
        <p className="soft">{t("wizard.laneHint")}</p>
        <LaneFields form={form} onChange={onChange} wrong={wrong} />
      </section>
    </div>
  );
}
