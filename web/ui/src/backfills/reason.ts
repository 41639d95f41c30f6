import { known, type Translate } from "../i18n/language";

/** reasonWord is why an instance is in a plan or out of it, in a word. */
export function reasonWord(why: string, t: Translate): string {
  const key = `plan.why.${why}`;
  return known(key) ? t(key) : why;
}

/** reasonHint is what the word means. */
export function reasonHint(why: string, t: Translate): string | undefined {
  const key = `plan.whyHint.${why}`;
  return known(key) ? t(key) : undefined;
}
