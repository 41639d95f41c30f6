/** Texts of the lanes, which several pages have. */
export const lanesEn = {
  "lanes.role": "timeline",
  "lanes.keys":
    "Arrows move between bars, Page Up and Page Down by twelve lanes, Home and End to the first and the last of a lane. Enter opens, Space selects. Plus, minus and 0 zoom.",
} as const;
