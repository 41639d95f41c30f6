import type { Key } from "../i18n/en";

/** What Home knows of the world, as far as it has been told. */
export interface Known {
  concerns: number;
  folder: boolean; // what stands in the folder is not what runs
  failed: number; // besides the concerns
  late: number;
  ready: boolean;
}

/** standing is what stands under "What is wrong now" when that names nothing: that nothing is wrong is said only when nothing is. */
export function standing(known: Known): { text: Key; well: boolean } | undefined {
  if (known.concerns > 0) return undefined;
  if (known.folder || known.late > 0 || !known.ready) return { text: "home.elseWrong", well: false };
  if (known.failed > 0) return { text: "home.noneWaits", well: false };
  return { text: "home.nothing", well: true };
}
