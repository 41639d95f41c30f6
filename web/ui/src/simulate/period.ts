/**
 * period reads how long something takes, in milliseconds: an ISO 8601 duration of days and shorter units as the API has it (PT1H30M), or as people type it: 20 (minutes),
 * 90s, 1h30, 1 h 30 min. undefined is neither.
 */
export function period(text: string): number | undefined {
  const said = text.trim();
  const iso = /^P(?=.)(?:(\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i.exec(said);
  if (iso) return sum(iso);
  const typed =
    /^(?:(\d+(?:\.\d+)?)\s*d)?\s*(?:(\d+(?:\.\d+)?)\s*h)?\s*(?:(\d+(?:\.\d+)?)(?:\s*m(?:in)?|(?=\s|$)))?\s*(?:(\d+(?:\.\d+)?)\s*s)?$/i.exec(
      said,
    );
  if (said !== "" && typed) return sum(typed);
  return undefined;
}

const units = [86_400_000, 3_600_000, 60_000, 1_000];

function sum(found: RegExpExecArray): number {
  return units.reduce((total, unit, n) => total + Math.round(Number(found[n + 1] ?? 0) * unit), 0);
}

/** iso is a duration of milliseconds as the API takes it. */
export function iso(milliseconds: number): string {
  let rest = Math.max(0, Math.round(milliseconds));
  const hours = Math.floor(rest / 3_600_000);
  rest -= hours * 3_600_000;
  const minutes = Math.floor(rest / 60_000);
  const seconds = (rest - minutes * 60_000) / 1_000;
  const text = `${hours > 0 ? `${hours}H` : ""}${minutes > 0 ? `${minutes}M` : ""}${seconds > 0 ? `${seconds}S` : ""}`;
  return `PT${text === "" ? "0S" : text}`;
}
