import type { Palette } from "./palette";
import { boxOf, inSight, type Scene, visible, xOf } from "./scene";

/** paintDeadlines draws the flag of each bar that has a deadline: a mast with a pennant, filled and in another colour when the bar is late. */
export function paintDeadlines(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  for (const late of [false, true]) {
    c.beginPath();
    for (const [, row] of visible(scene)) {
      if (row.lane < 0) continue;
      for (const [n, room, bar] of inSight(scene, row)) {
        if (bar.deadline === undefined || bar.faded || (bar.late ?? false) !== late) continue;
        const box = boxOf(scene, n, room);
        if (box === undefined) continue;
        const x = Math.round(xOf(scene, bar.deadline)) + 0.5;
        c.moveTo(x, box.y + box.h);
        c.lineTo(x, box.y - 2);
        c.lineTo(x - 6, box.y + 1);
        c.lineTo(x, box.y + 4);
      }
    }
    c.strokeStyle = c.fillStyle = palette.colour(late ? "--lost" : "--edge-strong");
    c.lineWidth = 1.25;
    if (late) c.fill();
    c.stroke();
  }
}
