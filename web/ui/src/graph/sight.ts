/**
 * firstSight is where a picture of a length begins in a frame, so that what is marked in it is in sight. What fits stands in the middle. What does not shows as much as can be
 * seen on either side of what is marked, as far to the side as that is in the whole picture, and no empty room at either end.
 */
export function firstSight(marked: number, length: number, frame: number, side: number): number {
  if (length + 2 * side <= frame) return (frame - length) / 2;
  const at = frame * Math.min(0.8, Math.max(0.2, marked / length)) - marked;
  return Math.min(side, Math.max(frame - side - length, at));
}
