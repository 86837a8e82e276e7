// Finds the part of an image that a sprite shows: a frame of its sprite sheet (engine/docs/sprites.md) or of a strip.
// { pivot, frames, waiting }, by image name. frames: [{ x, y, w, h }], or null without a sheet; waiting: functions to
// call when the sheet is loaded.
const sheets = new Map();

function gridOf({ grid }, image) {
  const { width, height, margin = 0, spacing = 0, count = Infinity } = grid,
    frames = [];
  for (let y = margin; y + height <= image.naturalHeight && frames.length < count; y += height + spacing)
    for (let x = margin; x + width <= image.naturalWidth && frames.length < count; x += width + spacing)
      frames.push({ x, y, w: width, h: height });
  return frames;
}

function readFrames(sheet, image) {
  if (sheet.grid) return gridOf(sheet, image);
  const frames = Object.values(sheet.frames ?? {})
    .map((x) => x.frame)
    .filter((x) => x?.w > 0); // Aseprite's format
  return frames.length ? frames : null;
}

async function loadSheet(look) {
  const known = { pivot: [0.5, 0.5], frames: null, waiting: new Set() };
  sheets.set(look.image, known);
  try {
    const response = await fetch(`assets/${encodeURI(look.image.replace(/\.\w+$/, ".json"))}`);
    if (!response.ok) return;
    const sheet = await response.json();
    if (Array.isArray(sheet.pivot)) known.pivot = sheet.pivot;
    known.frames = readFrames(sheet, look.picture);
    known.waiting.forEach((redraw) => redraw());
  } catch {
    /* no valid sprite sheet */
  } finally {
    known.waiting = null;
  }
}

// Returns the source rectangle in look.picture, and its pivot (px, py); null until the image is loaded.
export function cut(look) {
  const { picture } = look;
  if (!picture?.naturalWidth) return null;
  if (!sheets.has(look.image)) loadSheet(look);
  const {
    frames,
    pivot: [px, py],
    waiting,
  } = sheets.get(look.image);
  waiting?.add(look.requestDraw);
  if (frames?.length) return { ...frames[Math.max(0, Math.min(frames.length - 1, look.number - 1))], px, py };
  const count = Math.max(1, look.count ?? 1),
    w = picture.naturalWidth / count;
  return { x: Math.max(0, Math.min(count - 1, (look.number || 1) - 1)) * w, y: 0, w, h: picture.naturalHeight, px, py };
}
