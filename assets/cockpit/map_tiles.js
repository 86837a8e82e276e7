// Tilemaps on the map of the world. Each tilemap is rendered to images, which are updated when a cell changes.
import { request } from "./wire.js";
import { world } from "./world.js";

export const FLIP_X = 0x80000000,
  FLIP_Y = 0x40000000,
  FLIP_DIAGONAL = 0x20000000,
  TILE = 0x0fffffff;
const MAX_SIDE = 8192;
const maps = new Map(); // { stamp, map, visible, sheets }, by entity; map.js provides the position
let checkedTick = -1,
  updating = false;

export const has = (entity) => maps.has(entity);
export const entities = () => maps.keys();

// Returns the bounds [left, top, width, height] in map pixels.
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

// Draws the tile of a cell. `left`, `bottom`: edges of the cell.
export function drawTile(ctx, picture, [, , sx, sy, width, height, ox, oy], cell, left, bottom) {
  const w = width || picture.naturalWidth,
    h = height || picture.naturalHeight;
  ctx.save();
  ctx.translate(left + ox + w / 2, bottom + oy - h / 2);
  ctx.scale(cell & FLIP_X ? -1 : 1, cell & FLIP_Y ? -1 : 1);
  if (cell & FLIP_DIAGONAL) ctx.transform(0, 1, 1, 0, 0, 0);
  ctx.drawImage(picture, sx, sy, w, h, -w / 2, -h / 2, w, h);
  ctx.restore();
}

// Draws a tile object with its size and rotation.
export function drawObject(ctx, pictures, tiles, [cell, x, y, width, height, angle]) {
  const tile = tiles.get(cell & TILE),
    picture = tile && pictures[tile[1]];
  if (!picture?.naturalWidth) return;
  const [, , sx, sy, tw, th, ox, oy] = tile,
    w = tw || picture.naturalWidth,
    h = th || picture.naturalHeight,
    across = width || w,
    down = height || h;
  const [dw, dh] = cell & FLIP_DIAGONAL ? [down, across] : [across, down];
  ctx.save();
  ctx.translate(x + ox, y + oy);
  ctx.rotate(angle);
  ctx.scale(cell & FLIP_X ? -1 : 1, cell & FLIP_Y ? -1 : 1);
  if (cell & FLIP_DIAGONAL) ctx.transform(0, 1, 1, 0, 0, 0);
  ctx.drawImage(picture, sx, sy, w, h, -dw / 2, -dh / 2, dw, dh);
  ctx.restore();
}

function drawLayer(ctx, map, tiles, pictures, layer) {
  ctx.save();
  ctx.translate(-map.left * map.tile_width, -map.top * map.tile_height);
  ctx.globalAlpha = layer.opacity;
  // object positions include the layer's offset
  for (const object of layer.objects) if (object[0]) drawObject(ctx, pictures, tiles, object);
  ctx.translate(...layer.at);
  const picture = pictures[layer.image];
  if (picture?.naturalWidth) ctx.drawImage(picture, 0, 0);
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
        ctx,
        pictures[tile[1]],
        tile,
        cell,
        (layer.left + (at % layer.columns)) * layer.cell_width,
        (layer.top + Math.floor(at / layer.columns) + 1) * layer.cell_height,
      );
  }
  ctx.restore();
}

function paint(map, pictures, layers) {
  const width = map.columns * map.tile_width,
    height = map.rows * map.tile_height;
  if (!(width > 0 && height > 0)) return null;
  const canvas = document.createElement("canvas"),
    shrink = Math.min(1, MAX_SIDE / Math.max(width, height));
  canvas.width = Math.ceil(width * shrink);
  canvas.height = Math.ceil(height * shrink);
  const ctx = canvas.getContext("2d"),
    tiles = new Map(map.tiles.map((x) => [x[0], x]));
  ctx.scale(shrink, shrink);
  ctx.imageSmoothingEnabled = shrink < 1;
  layers.forEach((layer) => drawLayer(ctx, map, tiles, pictures, layer));
  return canvas;
}

// Renders the layers to sheets, bottom first. Consecutive layers without parallax share a sheet; each parallax layer
// has a separate sheet; repeated images are drawn directly, where they are visible.
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

// Loads an image of the game. An image that cannot be loaded has no width.
export const load = (name) =>
  new Promise((resolve) => {
    const image = new Image();
    image.onload = image.onerror = () => resolve(image);
    image.src = `assets/${name}`;
  });

async function loadMap(entity, visible) {
  const known = maps.get(entity),
    answer = await request("tiles", { entity, stamp: known?.stamp });
  if (answer.same) {
    known.visible = visible;
    return false;
  }
  const pictures = await Promise.all(answer.map.images.map(load)); // in the order of map.images
  maps.set(entity, { visible, stamp: answer.stamp, map: answer.map, sheets: sheetsOf(answer.map, pictures) });
  return true;
}

// Requests maps that may have changed, at most once per tick. Calls onChange if a map has changed.
export async function update(onChange) {
  if (updating || checkedTick === world.state.tick || !world.byName.has("tilemap")) return;
  updating = true;
  checkedTick = world.state.tick;
  try {
    const { rows } = await request("sql", { text: "SELECT entity, visible FROM tilemap LIMIT 32" });
    let changed = false;
    for (const entity of maps.keys()) if (!rows.some(([x]) => x === entity)) changed = maps.delete(entity);
    for (const [entity, visible] of rows)
      changed = (await loadMap(entity, visible).catch(() => maps.delete(entity))) || changed;
    if (changed) onChange();
  } catch {
    checkedTick = -1; // not connected: try again later
  }
  updating = false;
}
// Call after an edit, because an edit changes maps without a new tick.
export function invalidate() {
  checkedTick = -1;
}

// Fills the visible area with a repeated image, in map pixels.
function drawEndless(ctx, { endless, layers: [layer] }) {
  const back = ctx.getTransform().inverse(),
    { width, height } = ctx.canvas,
    corners = [
      [0, 0],
      [width, 0],
      [0, height],
      [width, height],
    ].map(([x, y]) => back.transformPoint({ x, y }));
  const [left, top] = ["x", "y"].map((axis) => Math.min(...corners.map((at) => at[axis]))),
    [right, bottom] = ["x", "y"].map((axis) => Math.max(...corners.map((at) => at[axis])));
  ctx.globalAlpha = layer.opacity;
  ctx.fillStyle = ctx.createPattern(endless, layer.repeat[0] ? (layer.repeat[1] ? "repeat" : "repeat-x") : "repeat-y");
  ctx.fillRect(left, top, right - left, bottom - top);
}

// Draws the sheets in front of entities (`above`) or behind them. `middle` is the centre of the window's view in map
// pixels; parallax is relative to it.
export function draw(ctx, entity, above, middle) {
  const x = maps.get(entity);
  for (const sheet of x?.visible ? x.sheets.filter((y) => y.above === above) : []) {
    const [left, top, width, height] = bounds(entity),
      [px, py] = sheet.parallax;
    ctx.save();
    if (sheet.alone) ctx.translate((middle[0] - x.map.origin[0]) * (1 - px), (middle[1] - x.map.origin[1]) * (1 - py));
    ctx.imageSmoothingEnabled = false;
    if (sheet.endless?.naturalWidth) {
      ctx.translate(...sheet.layers[0].at);
      drawEndless(ctx, sheet);
    } else if (sheet.picture) ctx.drawImage(sheet.picture, left, top, width, height);
    ctx.restore();
  }
}

// Draws the shapes of map objects, which the game does not draw, as dashed lines.
export function drawShapes(ctx, entity, scale) {
  const x = maps.get(entity);
  ctx.lineWidth = 1 / scale;
  ctx.setLineDash([4 / scale, 3 / scale]);
  for (const layer of x?.visible ? x.map.layers : [])
    for (const [cell, ox, oy, width, height, angle, name, points] of layer.objects) {
      if (cell) continue;
      ctx.save();
      ctx.translate(ox, oy);
      ctx.rotate(angle);
      ctx.strokeStyle = ctx.fillStyle = "#b48cff";
      ctx.beginPath();
      if (points === "ellipse") ctx.ellipse(0, 0, width / 2, height / 2, 0, 0, 7);
      else if (points)
        points
          .split(" ")
          .forEach((at, i) =>
            i ? ctx.lineTo(...at.split(",").map(Number)) : ctx.moveTo(...at.split(",").map(Number)),
          );
      else if (width && height) ctx.rect(-width / 2, -height / 2, width, height);
      else ctx.arc(0, 0, 3 / scale, 0, 7);
      ctx.stroke();
      if (name && scale > 0.5) {
        ctx.font = `${10 / scale}px system-ui, sans-serif`;
        ctx.fillText(name, -width / 2 + 3 / scale, -height / 2 - 3 / scale);
      }
      ctx.restore();
    }
  ctx.setLineDash([]);
}

// For tests.
export const counts = (entity) => {
  const { map, sheets } = maps.get(entity);
  return {
    objects: map.layers.flatMap((x) => x.objects).length,
    far: sheets.filter((x) => x.alone).length,
    sheets: sheets.length,
  };
};
