// Ghosts on the map: predicted movement of the selection, drawn as in the window: a fading line, an outline every half
// second, and a cross where the entity dies.
import { follow } from "./wire.js";
import { world } from "./world.js";

const JUMP = 160; // a wrap or teleport: interrupts the line
let end,
  heard = { tick: 0, trails: [] };

export const count = () => heard.trails.length;

// Subscribed while ghosts are shown.
export function look(shown, then) {
  const wanted = shown && (world.state.ghosts?.length ?? 0) > 0;
  if (wanted) {
    end ??= follow({ what: "ghosts", hz: 10 }, (found) => {
      if (found) {
        heard = found;
        then();
      }
    });
    return;
  }
  if (!end) return;
  end();
  end = null;
  heard = { tick: 0, trails: [] };
  then();
}

function drawLine(pen, trail, past, toScreen) {
  const step = Math.floor(trail.ticks / 90) + 1,
    { line } = trail;
  for (let i = 0; i + 3 < line.length; i += 2) {
    const at = (i / 2) * step,
      left = 1 - at / trail.ticks;
    if (at < past || Math.hypot(line[i + 2] - line[i], line[i + 3] - line[i + 1]) > JUMP) continue;
    pen.globalAlpha = 0.3 + 0.65 * left;
    pen.lineWidth = 1 + 2 * left;
    pen.beginPath();
    pen.moveTo(...toScreen(line[i], line[i + 1]));
    pen.lineTo(...toScreen(line[i + 2], line[i + 3]));
    pen.stroke();
  }
}

function drawPose(pen, trail, [at, ux, uy, vx, vy, x, y], view) {
  const { outline } = trail;
  pen.save();
  pen.globalAlpha = 0.4 + 0.55 * (1 - at / trail.ticks);
  pen.translate(...view.toScreen(x, y));
  pen.scale(view.scale, view.scale);
  pen.lineWidth = 1.4 / view.scale;
  pen.beginPath();
  if (outline.length < 4) pen.arc(0, 0, (trail.radius || 4) * Math.hypot(ux, uy), 0, 7);
  for (let i = 0; i < outline.length && outline.length >= 4; i += 2) {
    const px = ux * outline[i] + vx * outline[i + 1],
      py = uy * outline[i] + vy * outline[i + 1];
    if (i) pen.lineTo(px, py);
    else pen.moveTo(px, py);
  }
  pen.closePath();
  pen.stroke();
  pen.restore();
}

function drawDeath(pen, [x, y]) {
  pen.strokeStyle = "#ff6b59";
  pen.globalAlpha = 0.9;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(x - 6, y - 6);
  pen.lineTo(x + 6, y + 6);
  pen.moveTo(x - 6, y + 6);
  pen.lineTo(x + 6, y - 6);
  pen.stroke();
}

// view: { scale, toScreen(x, y) }
export function draw(pen, view) {
  const past = world.state.tick - heard.tick;
  for (const trail of past >= 0 ? heard.trails : []) {
    if (trail.ticks < 2) continue;
    pen.save();
    pen.strokeStyle = `rgb(${trail.colour.map((x) => Math.round(Math.min(1, x) * 255)).join(" ")})`;
    drawLine(pen, trail, past, view.toScreen);
    for (const pose of trail.poses) if (pose[0] > past) drawPose(pen, trail, pose, view);
    if (trail.dies && trail.ticks > past) drawDeath(pen, view.toScreen(...trail.line.slice(-2)));
    pen.restore();
  }
}
