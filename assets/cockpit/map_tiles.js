// Tile maps on the map: each is drawn into pictures of its own once, and again when one of its cells is another one.
import { ask } from "./wire.js";
import { world } from "./world.js";

const FLIP_X = 0x80000000, FLIP_Y = 0x40000000, FLIP_DIAGONAL = 0x20000000, TILE = 0x0fffffff, MOST_SIDE = 8192;
const maps = new Map(); // by entity: { stamp, map, below, above, layer, angle … of its place are the map's }
let looked = -1, busy = false;

export const has = (entity) => maps.has(entity);
export const entities = () => maps.keys();

// What it takes, in its own pixels.
export function bounds(entity) {
  const map = maps.get(entity)?.map;
  return map && [map.left * map.tile_width, map.top * map.tile_height, map.columns * map.tile_width, map.rows * map.tile_height];
}

function drawTile(pen, picture, [, , sx, sy, width, height, ox, oy], cell, left, bottom) {
  const w = width || picture.naturalWidth, h = height || picture.naturalHeight;
  pen.save();
  pen.translate(left + ox + w / 2, bottom + oy - h / 2);
  pen.scale(cell & FLIP_X ? -1 : 1, cell & FLIP_Y ? -1 : 1);
  if (cell & FLIP_DIAGONAL) pen.transform(0, 1, 1, 0, 0, 0);
  pen.drawImage(picture, sx, sy, w, h, -w / 2, -h / 2, w, h);
  pen.restore();
}

function drawLayer(pen, map, tiles, pictures, layer) {
  pen.save();
  pen.translate(layer.x - map.left * map.tile_width, layer.y - map.top * map.tile_height);
  pen.globalAlpha = layer.opacity;
  const picture = pictures[layer.image];
  if (picture?.naturalWidth) pen.drawImage(picture, 0, 0);
  for (let i = 0, at = 0; i < layer.cells.length; i += 2) {
    const cell = layer.cells[i], tile = tiles.get(cell & TILE), end = at + layer.cells[i + 1];
    if (!tile || !pictures[tile[1]]?.naturalWidth) { at = end; continue; }
    for (; at < end; ++at) drawTile(pen, pictures[tile[1]], tile, cell, (layer.left + at % layer.columns) * map.tile_width, (layer.top + Math.floor(at / layer.columns) + 1) * map.tile_height);
  }
  pen.restore();
}

function paint(map, pictures, wanted) {
  const layers = map.layers.filter(wanted), width = map.columns * map.tile_width, height = map.rows * map.tile_height;
  if (layers.length === 0 || !(width > 0 && height > 0)) return null;
  const canvas = document.createElement("canvas"), shrink = Math.min(1, MOST_SIDE / Math.max(width, height));
  canvas.width = Math.ceil(width * shrink);
  canvas.height = Math.ceil(height * shrink);
  const pen = canvas.getContext("2d"), tiles = new Map(map.tiles.map((x) => [x[0], x]));
  pen.scale(shrink, shrink);
  pen.imageSmoothingEnabled = shrink < 1;
  layers.forEach((layer) => drawLayer(pen, map, tiles, pictures, layer));
  return canvas;
}

const load = (name) => new Promise((resolve) => {
  const image = new Image();
  image.onload = image.onerror = () => resolve(image);
  image.src = `assets/${name}`;
});

async function learn(entity, visible) {
  const known = maps.get(entity), answer = await ask("tiles", { entity, stamp: known?.stamp });
  if (answer.same) { known.visible = visible; return false; }
  const pictures = await Promise.all(answer.map.images.map(load)); // of map.images: [] where the map has none
  maps.set(entity, { visible, stamp: answer.stamp, map: answer.map, below: paint(answer.map, pictures, (x) => x.order <= 0), above: paint(answer.map, pictures, (x) => x.order > 0) });
  return true;
}

// Looks whether anything is another one; `then` is called when it is.
export async function look(then) {
  if (busy || looked === world.state.tick || !world.byName.has("tilemap")) return;
  busy = true;
  looked = world.state.tick;
  try {
    const { rows } = await ask("sql", { text: "SELECT entity, visible FROM tilemap LIMIT 32" });
    let changed = false;
    for (const entity of maps.keys()) if (!rows.some(([x]) => x === entity)) changed = maps.delete(entity);
    for (const [entity, visible] of rows) changed = await learn(entity, visible).catch(() => maps.delete(entity)) || changed;
    if (changed) then();
  } catch { looked = -1; /* not connected */ }
  busy = false;
}
export function again() { looked = -1; } // something was changed while no tick passed

export function draw(pen, entity, above) {
  const x = maps.get(entity), picture = x?.visible ? (above ? x.above : x.below) : null;
  if (!picture) return;
  const [left, top, width, height] = bounds(entity);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(picture, left, top, width, height);
  pen.imageSmoothingEnabled = true;
}
