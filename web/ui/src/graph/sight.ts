/**
 * firstSight is where a picture of a length begins in a frame, so that what is marked in it is in sight. What fits stands in the middle. What does not shows as much as can be
 * seen on either side of what is marked, as far to the side as that is in the whole picture, and no empty room at either end.
 */
export function firstSight(marked: number, length: number, frame: number, side: number): number {
  if (length + 2 * side <= frame) return (frame - length) / 2;
  const at = frame * Math.min(0.8, Math.max(0.2, marked / length)) - marked;
  return Math.min(side, Math.max(frame - side - length, at));
}

/**
 * whole moves where a picture of columns begins so that no column is cut at its beginning: a name without its first letters cannot be read, one that goes on at the end can. The
 * column that is marked stays in sight. starts are where the columns begin in the picture, at is what firstSight says.
 */
export function whole(at: number, starts: number[], column: number, marked: number, frame: number, side: number): number {
  const cut = starts.find((start) => start + at < 0 && start + column + at > 0);
  if (cut === undefined) return at;
  const begins = starts.filter((start) => start >= cut && start <= marked && marked + column <= start + frame - 2 * side);
  return side - Math.min(marked, ...begins);
}
