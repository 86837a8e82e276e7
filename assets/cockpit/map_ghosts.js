// Ghosts on the map: the predicted movement of the selection, drawn as in the window: a fading line, an outline every
// half second, and a cross where the entity is destroyed.
import { follow } from "./wire.js";
import { world } from "./world.js";

const JUMP = 160; // world pixels: a longer step between two points is a wrap or teleport, which interrupts the line
let unsubscribe,
  latest = { tick: 0, trails: [] };

export const count = () => latest.trails.length;

// Subscribes while ghosts and the map are shown, otherwise unsubscribes. Call it when the state has changed. Calls
// onChange then and when the trails have changed, because the trails may arrive before the tick at which they begin.
export function update(shown, onChange) {
  const isWanted = shown && (world.state.ghosts?.length ?? 0) > 0;
  if (isWanted) {
    unsubscribe ??= follow({ what: "ghosts", hz: 10 }, (found) => {
      if (found) {
        latest = found;
        onChange();
      }
    });
    onChange();
    return;
  }
  if (!unsubscribe) return;
  unsubscribe();
  unsubscribe = null;
  latest = { tick: 0, trails: [] };
  onChange();
}

function drawLine(ctx, trail, past, toScreen) {
  const step = Math.floor(trail.ticks / 90) + 1,
    { line } = trail;
  for (let i = 0; i + 3 < line.length; i += 2) {
    const at = (i / 2) * step,
      left = 1 - at / trail.ticks;
    if (at < past || Math.hypot(line[i + 2] - line[i], line[i + 3] - line[i + 1]) > JUMP) continue;
    ctx.globalAlpha = 0.3 + 0.65 * left;
    ctx.lineWidth = 1 + 2 * left;
    ctx.beginPath();
    ctx.moveTo(...toScreen(line[i], line[i + 1]));
    ctx.lineTo(...toScreen(line[i + 2], line[i + 3]));
    ctx.stroke();
  }
}

function drawPose(ctx, trail, [at, ux, uy, vx, vy, x, y], view) {
  const { outline } = trail;
  ctx.save();
  ctx.globalAlpha = 0.4 + 0.55 * (1 - at / trail.ticks);
  ctx.translate(...view.toScreen(x, y));
  ctx.scale(view.scale, view.scale);
  ctx.lineWidth = 1.4 / view.scale;
  ctx.beginPath();
  if (outline.length < 4) ctx.arc(0, 0, (trail.radius || 4) * Math.hypot(ux, uy), 0, 7);
  for (let i = 0; i < outline.length && outline.length >= 4; i += 2) {
    const px = ux * outline[i] + vx * outline[i + 1],
      py = uy * outline[i] + vy * outline[i + 1];
    if (i) ctx.lineTo(px, py);
    else ctx.moveTo(px, py);
  }
  ctx.closePath();
  ctx.stroke();
  ctx.restore();
}

function drawDeath(ctx, [x, y]) {
  ctx.strokeStyle = "#ff6b59";
  ctx.globalAlpha = 0.9;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x - 6, y - 6);
  ctx.lineTo(x + 6, y + 6);
  ctx.moveTo(x - 6, y + 6);
  ctx.lineTo(x + 6, y - 6);
  ctx.stroke();
}

// Draws the trails from the current tick on. view: { scale, toScreen(x, y) }.
export function draw(ctx, view) {
  const past = world.state.tick - latest.tick;
  for (const trail of past >= 0 ? latest.trails : []) {
    if (trail.ticks < 2) continue;
    ctx.save();
    ctx.strokeStyle = `rgb(${trail.colour.map((x) => Math.round(Math.min(1, x) * 255)).join(" ")})`;
    drawLine(ctx, trail, past, view.toScreen);
    for (const pose of trail.poses) if (pose[0] > past) drawPose(ctx, trail, pose, view);
    if (trail.dies && trail.ticks > past) drawDeath(ctx, view.toScreen(...trail.line.slice(-2)));
    ctx.restore();
  }
}
