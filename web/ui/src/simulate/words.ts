import { gateWord } from "../design/state";
import { known, type Translate } from "../i18n/language";
import { span } from "../parts/time";
import { hour } from "./clock";
import type { Move } from "./compare";
import type { Foresight } from "./foresight";

/** The sentences and short words in which the page tells of instances. Times are on the clock of the job's zone, as on the command line. */
export class Words {
  readonly foresight: Foresight;
  readonly day: string; // the first of the days: what has no date is on it
  readonly #t: Translate;

  constructor(foresight: Foresight, t: Translate) {
    this.foresight = foresight;
    this.day = foresight.answer.from.slice(0, 10);
    this.#t = t;
  }

  /** of tells of another day in the same words. */
  of(other: Foresight): Words {
    return new Words(other, this.#t);
  }

  at(time: number, i: number): string {
    return hour(time, this.foresight.job(i).timeZone, this.day);
  }

  /** title is the short name of an instance: shop/report 05:00. */
  title(i: number): string {
    const { workflow, job } = this.foresight.job(i);
    return `${workflow}/${job} ${this.at(this.foresight.planTime(i), i)}`;
  }

  span(milliseconds: number): string {
    return span(milliseconds / 1000, this.#t);
  }

  state(i: number): string {
    const key = `state.${this.foresight.state(i)}`;
    return known(key) ? this.#t(key) : this.foresight.state(i);
  }

  /** runs is from when to when it runs. */
  runs(i: number): string {
    const [start, end] = [this.foresight.start(i), this.foresight.end(i)];
    if (start === undefined) return this.#t("simulate.neverStarts");
    return `${this.at(start, i)} – ${end === undefined ? this.#t("simulate.neverEnds") : this.at(end, i)}`;
  }

  waited(i: number): string {
    const gate = this.foresight.gate(i);
    if (gate === undefined) return "";
    return this.#t("simulate.waitedFor", { span: this.span(this.foresight.held(i)), gate: gateWord(gate, this.#t) });
  }

  deadline(i: number): string {
    const [deadline, end] = [this.foresight.deadline(i), this.foresight.end(i)];
    if (deadline === undefined) return "";
    const at = this.at(deadline, i);
    if (end === undefined) return this.#t("simulate.deadlineNever", { at });
    if (end > deadline) return this.#t("simulate.deadlineMissed", { at, span: this.span(end - deadline) });
    return this.#t("simulate.deadlineLeft", { at, span: this.span(deadline - end) });
  }

  /** move is how much it moves, in a few words. */
  move(move: Move): string {
    if (move.by === Number.POSITIVE_INFINITY) return this.#t("simulate.endsNoMore");
    if (move.by === Number.NEGATIVE_INFINITY) return this.#t("simulate.endsNow");
    if (move.worse || (move.better && move.by === 0)) return this.#t("simulate.becomes", { state: this.state(move.at) });
    if (move.by !== 0) return this.#t(move.by > 0 ? "simulate.later" : "simulate.earlier", { span: this.span(Math.abs(move.by)) });
    if (Number.isFinite(move.start) && move.start !== 0)
      return this.#t(move.start > 0 ? "simulate.startsLater" : "simulate.startsEarlier", { span: this.span(Math.abs(move.start)) });
    return this.#t("simulate.becomes", { state: this.state(move.at) });
  }

  /** sentence is all of an instance that a reader of the screen should hear. */
  sentence(i: number, move: Move | undefined): string {
    const parts = [
      this.title(i),
      this.state(i),
      this.runs(i),
      this.foresight.held(i) > 0 ? `${this.#t("simulate.waited")} ${this.waited(i)}` : "",
      this.deadline(i) === "" ? "" : `${this.#t("simulate.deadline")} ${this.deadline(i)}`,
      move ? this.move(move) : "",
    ];
    return parts.filter((part) => part !== "").join(", ");
  }
}
