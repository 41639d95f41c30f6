import type { Palette } from "./palette";
import { type Scene, xOf } from "./scene";

/** paintStrip draws the chart of steps: what has been filled, what is expected as an outline, and the limit as a line. What will be over the limit stands out. */
export function paintStrip(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, top: number, height: number): void {
  const strip = scene.placed.data.strip;
  if (strip === undefined) return;
  const { gutter, width, now } = scene;
  const bottom = top + height - 1;
  c.fillStyle = palette.colour("--surface");
  c.fillRect(0, top, width, height - 1);
  const most = strip.steps.concat(strip.before ?? []).reduce((m, step) => Math.max(m, step.value), Math.max(1, strip.limit ?? 0));
  const room = height - 12;
  const y = (value: number) => bottom - (value / most) * room;

  c.save();
  c.beginPath();
  c.rect(gutter, top, width - gutter, height);
  c.clip();
  const area = (from: number, to: number, least: number) => {
    c.beginPath();
    for (let k = 0; k < strip.steps.length; k++) {
      const step = strip.steps[k];
      if (step === undefined || step.value <= least) continue;
      const begin = Math.max(from, step.at);
      const end = Math.min(to, strip.steps[k + 1]?.at ?? scene.scale.to);
      const x = xOf(scene, begin);
      const w = xOf(scene, end) - x;
      if (w <= 0 || x > width || x + w < gutter) continue;
      c.rect(x, y(step.value), Math.max(w, 0.5), y(least) - y(step.value));
    }
  };
  c.fillStyle = palette.colour("--running");
  c.globalAlpha = 0.45;
  area(Number.NEGATIVE_INFINITY, now, 0);
  c.fill();
  c.globalAlpha = 0.2;
  area(now, Number.POSITIVE_INFINITY, 0);
  c.fill();
  c.globalAlpha = 1;
  if (strip.limit !== undefined) {
    c.fillStyle = palette.colour("--failed");
    c.globalAlpha = 0.7;
    area(now, Number.POSITIVE_INFINITY, strip.limit);
    c.fill();
    c.globalAlpha = 1;
    c.strokeStyle = palette.colour("--ink-soft");
    c.setLineDash([4, 3]);
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(gutter, Math.round(y(strip.limit)) + 0.5);
    c.lineTo(width, Math.round(y(strip.limit)) + 0.5);
    c.stroke();
    c.setLineDash([]);
  }
  if (strip.before) paintBefore(c, scene, palette, strip.before, y);
  c.restore();

  c.font = `12px ${palette.font}`;
  c.fillStyle = palette.colour("--ink-soft");
  c.fillText(strip.label, 26, top + height / 2);
  c.fillStyle = palette.colour("--edge");
  c.fillRect(0, bottom, width, 1);
}

/** paintBefore draws how it was, as a line of steps. */
function paintBefore(
  c: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  steps: readonly { at: number; value: number }[],
  y: (value: number) => number,
): void {
  c.strokeStyle = palette.colour("--ink-soft");
  c.lineWidth = 1;
  c.setLineDash([2, 2]);
  c.beginPath();
  steps.forEach((step, k) => {
    const [x, at] = [xOf(scene, step.at), Math.round(y(step.value)) + 0.5];
    if (k === 0) c.moveTo(x, at);
    else c.lineTo(x, at);
    c.lineTo(xOf(scene, steps[k + 1]?.at ?? step.at), at);
  });
  c.stroke();
  c.setLineDash([]);
}
