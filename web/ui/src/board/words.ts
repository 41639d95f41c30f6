import type { Translate } from "../i18n/language";
import { known } from "../i18n/language";
import { timeIn } from "../lanes/scale";
import { span } from "../parts/time";
import type { Told } from "./edges";
import type { Day, DayEdges } from "./queries";
import { flag, markOf, type Row } from "./rows";

/** The Words of a day say in sentences what the picture shows, in the times of the day's zone. */
export class Words {
  readonly #day: Day;
  readonly #t: Translate;
  readonly #now: number;
  readonly time: (at: number) => string;

  constructor(day: Day, t: Translate, now: number) {
    this.#day = day;
    this.#t = t;
    this.#now = now;
    this.time = timeIn(day.zone, day.date);
  }

  job(row: Row): string {
    const job = this.#day.jobs?.[row.job];
    return `${job?.workflow}/${job?.job}`;
  }

  name(row: Row): string {
    return `${this.job(row)} ${this.time(row.plan)}`;
  }

  /** facts are what is known of an instance, a sentence each. */
  facts(row: Row): string[] {
    const t = this.#t;
    const mark = markOf(row, this.#now);
    const takes = this.#day.jobs?.[row.job]?.takesSeconds;
    const lines: string[] = [row.id === "0" ? t("board.unplanned") : mark === "planned" ? t("board.mark.planned") : t(`state.${mark}`)];
    const gate = `gate.${row.gate}`;
    if (mark === "waiting" && row.gate !== "time" && known(gate)) lines[0] += ` (${t(gate)})`;
    if ((row.flags & flag.late) !== 0)
      lines.push(t(mark === "waiting" ? "board.overdue" : "board.late", { since: span((this.#now - row.plan) / 1000, t) }));
    if (row.run !== undefined) lines.push(t(row.past ? "board.runBefore" : "board.run", { n: row.run }));
    if (row.started !== undefined) lines.push(t("board.started", { at: this.time(row.started) }));
    if (row.started !== undefined && row.ended !== undefined)
      lines.push(t("board.took", { span: span((row.ended - row.started) / 1000, t) }));
    else if (takes !== undefined && takes > 0 && row.ended === undefined) lines.push(t("board.takes", { span: span(takes, t) }));
    if (row.order !== undefined) lines.push(t("board.ordered", { what: row.order.text }));
    else if ((row.flags & flag.frozen) !== 0) lines.push(t("gate.frozen"));
    if ((row.flags & flag.dryRun) !== 0) lines.push(t("board.dryRun"));
    if ((row.flags & flag.manual) !== 0) lines.push(t("kind.manual"));
    if ((row.flags & flag.backfill) !== 0) lines.push(t("kind.backfill"));
    return lines;
  }

  /** range is for which instances an edge waits. */
  range(edge: Told): string {
    const name = `${edge.workflow}/${edge.job}`;
    if (edge.count === 1) return `${name} ${this.time(edge.first)}`;
    return this.#t("board.range", { name, n: edge.count, from: this.time(edge.first), to: this.time(edge.last) });
  }

  /** rule is why it waits for them: the rule, and where the rule looked. */
  rule(answer: DayEdges, edge: Told): string {
    const rule = answer.rules?.[edge.rule];
    if (rule === undefined) return "";
    const words = rule.words === undefined || rule.words === "" ? rule.rule : rule.words;
    const select = rule.select === "all" ? "" : ` · ${rule.select}`;
    if (edge.window === undefined) return words + select;
    return `${words}${select} · ${this.#t("board.window", { from: this.time(edge.window[0]), to: this.time(edge.window[1]) })}`;
  }
}
