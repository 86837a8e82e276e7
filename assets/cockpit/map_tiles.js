// Tilemaps on the map: each is drawn to images once, and again when a cell changes.
import { ask } from "./wire.js";
import { world } from "./world.js";

const FLIP_X = 0x80000000,
  FLIP_Y = 0x40000000,
  FLIP_DIAGONAL = 0x20000000,
  TILE = 0x0fffffff,
  MAX_SIDE = 8192;
const maps = new Map(); // by entity: { stamp, map, visible, sheets }; map.js has the position
let looked = -1,
  busy = false;

export const has = (entity) => maps.has(entity);
export const entities = () => maps.keys();

// Returns its size in map pixels.
export function bounds(entity) {
  const map = maps.get(entity)?.map;
  return (
    map && [
      map.left * map.tile_width,
      map.top * map.tile_height,
      map.columns * map.tile_width,
      map.rows * map.tile_height,
    ]
  );
}

function drawTile(pen, picture, [, , sx, sy, width, height, ox, oy], cell, left, bottom) {
  const w = width || picture.naturalWidth,
    h = height || picture.naturalHeight;
  pen.save();
  pen.translate(left + ox + w / 2, bottom + oy - h / 2);
  pen.scale(cell & FLIP_X ? -1 : 1, cell & FLIP_Y ? -1 : 1);
  if (cell & FLIP_DIAGONAL) pen.transform(0, 1, 1, 0, 0, 0);
  pen.drawImage(picture, sx, sy, w, h, -w / 2, -h / 2, w, h);
  pen.restore();
}

// Draws an image object with its size and rotation.
function drawObject(pen, pictures, tiles, [cell, x, y, width, height, angle]) {
  const tile = tiles.get(cell & TILE),
    picture = tile && pictures[tile[1]];
  if (!picture?.naturalWidth) return;
  const [, , sx, sy, tw, th, ox, oy] = tile,
    w = tw || picture.naturalWidth,
    h = th || picture.naturalHeight,
    across = width || w,
    down = height || h;
  const [dw, dh] = cell & FLIP_DIAGONAL ? [down, across] : [across, down];
  pen.save();
  pen.translate(x + ox, y + oy);
  pen.rotate(angle);
  pen.scale(cell & FLIP_X ? -1 : 1, cell & FLIP_Y ? -1 : 1);
  if (cell & FLIP_DIAGONAL) pen.transform(0, 1, 1, 0, 0, 0);
  pen.drawImage(picture, sx, sy, w, h, -dw / 2, -dh / 2, dw, dh);
  pen.restore();
}

function drawLayer(pen, map, tiles, pictures, layer) {
  pen.save();
  pen.translate(-map.left * map.tile_width, -map.top * map.tile_height);
  pen.globalAlpha = layer.opacity;
  for (const object of layer.objects) if (object[0]) drawObject(pen, pictures, tiles, object); // their positions include the layer's offset
  pen.translate(...layer.at);
  const picture = pictures[layer.image];
  if (picture?.naturalWidth) pen.drawImage(picture, 0, 0);
  for (let i = 0, at = 0; i < layer.cells.length; i += 2) {
    const cell = layer.cells[i],
      tile = tiles.get(cell & TILE),
      end = at + layer.cells[i + 1];
    if (!tile || !pictures[tile[1]]?.naturalWidth) {
      at = end;
      continue;
    }
    for (; at < end; ++at)
      drawTile(
        pen,
        pictures[tile[1]],
        tile,
        cell,
        (layer.left + (at % layer.columns)) * map.tile_width,
        (layer.top + Math.floor(at / layer.columns) + 1) * map.tile_height,
      );
  }
  pen.restore();
}

function paint(map, pictures, layers) {
  const width = map.columns * map.tile_width,
    height = map.rows * map.tile_height;
  if (!(width > 0 && height > 0)) return null;
  const canvas = document.createElement("canvas"),
    shrink = Math.min(1, MAX_SIDE / Math.max(width, height));
  canvas.width = Math.ceil(width * shrink);
  canvas.height = Math.ceil(height * shrink);
  const pen = canvas.getContext("2d"),
    tiles = new Map(map.tiles.map((x) => [x[0], x]));
  pen.scale(shrink, shrink);
  pen.imageSmoothingEnabled = shrink < 1;
  layers.forEach((layer) => drawLayer(pen, map, tiles, pictures, layer));
  return canvas;
}

// Builds the drawing list from bottom to top. Consecutive layers that move with the map share one image; a parallax
// layer has its own; a repeating image is drawn where it is visible.
function sheetsOf(map, pictures) {
  const sheets = [];
  for (const layer of [...map.layers].sort((a, b) => a.order - b.order)) {
    const far = layer.parallax.some((x) => x !== 1),
      endless = layer.repeat.some(Boolean) && pictures[layer.image],
      last = sheets.at(-1),
      above = layer.order > 0;
    if (last && !last.alone && !far && !endless && last.above === above) last.layers.push(layer);
    else sheets.push({ layers: [layer], above, alone: far || endless, endless, parallax: layer.parallax });
  }
  for (const sheet of sheets) if (!sheet.endless) sheet.picture = paint(map, pictures, sheet.layers);
  return sheets;
}

const load = (name) =>
  new Promise((resolve) => {
    const image = new Image();
    image.onload = image.onerror = () => resolve(image);
    image.src = `assets/${name}`;
  });

async function learn(entity, visible) {
  const known = maps.get(entity),
    answer = await ask("tiles", { entity, stamp: known?.stamp });
  if (answer.same) {
    known.visible = visible;
    return false;
  }
  const pictures = await Promise.all(answer.map.images.map(load)); // same order as map.images; [] if the map has none
  maps.set(entity, { visible, stamp: answer.stamp, map: answer.map, sheets: sheetsOf(answer.map, pictures) });
  return true;
}

// Checks for changes and calls `then` if there are any.
export async function look(then) {
  if (busy || looked === world.state.tick || !world.byName.has("tilemap")) return;
  busy = true;
  looked = world.state.tick;
  try {
    const { rows } = await ask("sql", { text: "SELECT entity, visible FROM tilemap LIMIT 32" });
    let changed = false;
    for (const entity of maps.keys()) if (!rows.some(([x]) => x === entity)) changed = maps.delete(entity);
    for (const [entity, visible] of rows)
      changed = (await learn(entity, visible).catch(() => maps.delete(entity))) || changed;
    if (changed) then();
  } catch {
    looked = -1; /* not connected */
  }
  busy = false;
}
export function again() {
  looked = -1;
} // something was changed while no tick passed

// Draws the visible part, in map pixels.
function drawEndless(pen, { endless, layers: [layer] }) {
  const back = pen.getTransform().inverse(),
    { width, height } = pen.canvas,
    corners = [
      [0, 0],
      [width, 0],
      [0, height],
      [width, height],
    ].map(([x, y]) => back.transformPoint({ x, y }));
  const [left, top] = ["x", "y"].map((axis) => Math.min(...corners.map((at) => at[axis]))),
    [right, bottom] = ["x", "y"].map((axis) => Math.max(...corners.map((at) => at[axis])));
  pen.globalAlpha = layer.opacity;
  pen.fillStyle = pen.createPattern(endless, layer.repeat[0] ? (layer.repeat[1] ? "repeat" : "repeat-x") : "repeat-y");
  pen.fillRect(left, top, right - left, bottom - top);
}

// `middle`: center of the window's view in map pixels; parallax layers are placed relative to it.
export function draw(pen, entity, above, middle) {
  const x = maps.get(entity);
  for (const sheet of x?.visible ? x.sheets.filter((y) => y.above === above) : []) {
    const [left, top, width, height] = bounds(entity),
      [px, py] = sheet.parallax;
    pen.save();
    if (sheet.alone) pen.translate((middle[0] - x.map.origin[0]) * (1 - px), (middle[1] - x.map.origin[1]) * (1 - py));
    pen.imageSmoothingEnabled = false;
    if (sheet.endless?.naturalWidth) {
      pen.translate(...sheet.layers[0].at);
      drawEndless(pen, sheet);
    } else if (sheet.picture) pen.drawImage(sheet.picture, left, top, width, height);
    pen.restore();
  }
}

// Draws object shapes, which the game itself does not show, for level design.
export function drawShapes(pen, entity, scale) {
  const x = maps.get(entity);
  pen.lineWidth = 1 / scale;
  pen.setLineDash([4 / scale, 3 / scale]);
  for (const layer of x?.visible ? x.map.layers : [])
    for (const [cell, ox, oy, width, height, angle, name, points] of layer.objects) {
      if (cell) continue;
      pen.save();
      pen.translate(ox, oy);
      pen.rotate(angle);
      pen.strokeStyle = pen.fillStyle = "#b48cff";
      pen.beginPath();
      if (points === "ellipse") pen.ellipse(0, 0, width / 2, height / 2, 0, 0, 7);
      else if (points)
        points
          .split(" ")
          .forEach((at, i) =>
            i ? pen.lineTo(...at.split(",").map(Number)) : pen.moveTo(...at.split(",").map(Number)),
          );
      else if (width && height) pen.rect(-width / 2, -height / 2, width, height);
      else pen.arc(0, 0, 3 / scale, 0, 7);
      pen.stroke();
      if (name && scale > 0.5) {
        pen.font = `${10 / scale}px system-ui, sans-serif`;
        pen.fillText(name, -width / 2 + 3 / scale, -height / 2 - 3 / scale);
      }
      pen.restore();
    }
  pen.setLineDash([]);
}

export const counts = (entity) => {
  // for tests
  const { map, sheets } = maps.get(entity);
  return {
    objects: map.layers.flatMap((x) => x.objects).length,
    far: sheets.filter((x) => x.alone).length,
    sheets: sheets.length,
  };
};
