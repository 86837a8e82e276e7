// A Tiled map in the level editor: the file, and a draft of edits that have not been written.
import { request } from "./wire.js";
import { TILE, drawObject, drawTile, load } from "./map_tiles.js";
import { drawGrid } from "./level_view.js";

const COLOURS = { line: "#b48cff", chosen: "#ffb454", grid: "#ffffff14", edge: "#ffffff55", solid: "#ff5d5d55" };
const radians = (degrees) => (degrees * Math.PI) / 180;
const round = (value) => Number(value.toFixed(2));

// Decodes run-length encoded cells.
function decode({ cells, columns, rows }) {
  const out = new Uint32Array(columns * rows);
  for (let i = 0, at = 0; i < cells.length; at += cells[i + 1], i += 2) out.fill(cells[i], at, at + cells[i + 1]);
  return out;
}

// Members of an object that the editor changes, with their names in the file.
const MEMBERS = { name: "name", class: "type", x: "x", y: "y", width: "width", height: "height", rotation: "rotation" };

// Returns the changed properties, as the protocol expects them.
function changedProperties(now, was) {
  const out = {},
    before = new Map(was.map((x) => [x.name, x]));
  for (const x of now) {
    const known = before.get(x.name);
    before.delete(x.name);
    if (!known || known.type !== x.type || known.value !== x.value)
      out[x.name] = { type: x.type ?? "string", value: x.value };
  }
  for (const name of before.keys()) out[name] = null;
  return out;
}

// Opens a map. Returns an object that the panel draws and edits.
export async function openMap(name) {
  let stamp, map, pictures, tiles, layers, was; // `was`: objects of the file, by id
  let paints = new Map(), // cells of the draft, by "layer,column,row"
    things = [],
    fresh = 0; // new objects have negative ids
  const doc = { kind: "map", name, selected: 0 };

  async function read() {
    const answer = await request("tiles", { map: name, stamp });
    if (answer.same) return false;
    const edits = was ? objectEdits() : [];
    ({ stamp, map } = answer);
    pictures = await Promise.all(map.images.map(load));
    tiles = new Map(map.tiles.map((x) => [x[0], x]));
    layers = map.layers.map((x, index) => ({
      ...x,
      index,
      was: decode(x),
      shown: layers?.[index]?.shown ?? x.visible,
    }));
    was = new Map(map.things.map((x) => [x.id, x]));
    things = structuredClone(map.things);
    rebase(edits);
    for (const [key, cell] of paints) if (fileCell(...key.split(",").map(Number)) === cell) paints.delete(key);
    layers.forEach(render);
    doc.file = map.file;
    return true;
  }

  // Applies the edits of a draft to the objects of a file that has changed. Edits of removed objects are dropped.
  function rebase(edits) {
    for (const edit of edits) {
      if (edit.do === "remove") things = things.filter((x) => x.id !== edit.id);
      else if (edit.do === "add") things.push(edit.thing);
      else {
        const i = things.findIndex((x) => x.id === edit.id);
        if (i >= 0) things[i] = { ...edit.thing };
      }
    }
  }

  // --- cells

  const inside = (layer, column, row) =>
    column >= layer.left && row >= layer.top && column < layer.left + layer.columns && row < layer.top + layer.rows;
  function fileCell(index, column, row) {
    const layer = layers[index];
    return inside(layer, column, row) ? layer.was[(row - layer.top) * layer.columns + column - layer.left] : 0;
  }
  const cellAt = (index, column, row) => paints.get(`${index},${column},${row}`) ?? fileCell(index, column, row);

  function drawCell(ctx, layer, column, row) {
    const cell = cellAt(layer.index, column, row),
      tile = tiles.get((cell & TILE) >>> 0);
    if (tile && pictures[tile[1]]?.naturalWidth)
      drawTile(ctx, pictures[tile[1]], tile, cell, column * map.tile_width, (row + 1) * map.tile_height);
  }
  // Draws the cells of a layer to its canvas, whose origin is the layer's first cell.
  function render(layer) {
    if (layer.kind !== "tiles") return;
    layer.canvas = Object.assign(document.createElement("canvas"), {
      width: Math.max(1, layer.columns * map.tile_width),
      height: Math.max(1, layer.rows * map.tile_height),
    });
    const ctx = layer.canvas.getContext("2d");
    ctx.translate(-layer.left * map.tile_width, -layer.top * map.tile_height);
    for (let row = layer.top; row < layer.top + layer.rows; ++row)
      for (let column = layer.left; column < layer.left + layer.columns; ++column) drawCell(ctx, layer, column, row);
  }
  const hasLargeTiles = () => map.tiles.some((x) => x[4] > map.tile_width || x[5] > map.tile_height);
  // Redraws one cell. If the map has tiles larger than a cell, redraw the layer with render instead.
  function refresh(layer, column, row) {
    if (!layer.canvas || !inside(layer, column, row)) return;
    const ctx = layer.canvas.getContext("2d"),
      { tile_width: w, tile_height: h } = map;
    ctx.setTransform(1, 0, 0, 1, -layer.left * w, -layer.top * h);
    ctx.clearRect(column * w, row * h, w, h);
    drawCell(ctx, layer, column, row);
  }

  doc.paint = (index, cells) => {
    const layer = layers[index];
    let outside = 0;
    for (const [column, row, cell] of cells) {
      if (!map.infinite && !inside(layer, column, row)) {
        ++outside;
        continue;
      }
      const key = `${index},${column},${row}`;
      if (fileCell(index, column, row) === cell) paints.delete(key);
      else paints.set(key, cell);
      if (!hasLargeTiles()) refresh(layer, column, row);
    }
    if (hasLargeTiles()) render(layer);
    return outside;
  };

  // --- objects

  doc.things = () => things;
  doc.find = (id) => things.find((x) => x.id === id);
  function centre(thing) {
    const [ox, oy] = layers[thing.layer].at,
      angle = radians(thing.rotation);
    let x = thing.width / 2,
      y = thing.height / 2;
    if (/point|poly/.test(thing.shape)) x = y = 0;
    else if (thing.shape === "tile") y = -y;
    return [
      ox + thing.x + Math.cos(angle) * x - Math.sin(angle) * y,
      oy + thing.y + Math.sin(angle) * x + Math.cos(angle) * y,
      angle,
    ];
  }
  const corners = (thing) => thing.points.split(" ").map((x) => x.split(",").map(Number));
  doc.hit = (x, y, scale) => {
    const near = 6 / scale;
    for (const thing of [...things].reverse()) {
      if (!layers[thing.layer].shown) continue;
      const [cx, cy, angle] = centre(thing),
        dx = (x - cx) * Math.cos(angle) + (y - cy) * Math.sin(angle),
        dy = -(x - cx) * Math.sin(angle) + (y - cy) * Math.cos(angle);
      const w = Math.max(near, thing.width / 2),
        h = Math.max(near, thing.height / 2);
      if (thing.points && corners(thing).some(([px, py]) => Math.hypot(dx - px, dy - py) < near * 1.5)) return thing.id;
      if (Math.abs(dx) <= w && Math.abs(dy) <= h) return thing.id;
    }
    return 0;
  };
  doc.move = (id, x, y) => Object.assign(doc.find(id), { x: round(x), y: round(y) });
  doc.remove = (id) => {
    things = things.filter((x) => x.id !== id);
  };
  doc.add = (layer, x, y, more) => {
    const thing = {
      id: --fresh,
      layer,
      name: "",
      class: "",
      shape: "point",
      x: round(x),
      y: round(y),
      width: 0,
      height: 0,
    };
    things.push({ ...thing, rotation: 0, cell: 0, points: "", visible: true, properties: [], ...more });
    return fresh;
  };

  // --- drawing

  function outline(ctx, thing, scale) {
    ctx.beginPath();
    if (thing.shape === "ellipse") ctx.ellipse(0, 0, thing.width / 2, thing.height / 2, 0, 0, 7);
    else if (thing.points) corners(thing).forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    else if (thing.width && thing.height) ctx.rect(-thing.width / 2, -thing.height / 2, thing.width, thing.height);
    else ctx.arc(0, 0, 5 / scale, 0, 7);
    if (thing.shape === "polygon") ctx.closePath();
  }
  function drawThing(ctx, thing, scale) {
    const [x, y, angle] = centre(thing),
      chosen = thing.id === doc.selected;
    if (thing.cell) drawObject(ctx, pictures, tiles, [thing.cell, x, y, thing.width, thing.height, angle]);
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(angle);
    ctx.lineWidth = (chosen ? 2 : 1.2) / scale;
    ctx.strokeStyle = ctx.fillStyle = chosen ? COLOURS.chosen : COLOURS.line;
    outline(ctx, thing, scale);
    if (!thing.cell || chosen) ctx.stroke();
    ctx.globalAlpha = 0.25;
    if (!thing.cell && thing.shape !== "polyline") ctx.fill();
    ctx.restore();
    const label = thing.name || thing.class;
    if (!label || scale < 0.7) return;
    ctx.font = `${11 / scale}px system-ui, sans-serif`;
    ctx.lineWidth = 3 / scale;
    ctx.strokeStyle = "#000a";
    ctx.fillStyle = chosen ? COLOURS.chosen : "#e6dcff";
    const where = [x + Math.max(thing.width / 2, 5 / scale) + 3 / scale, y + 4 / scale];
    ctx.strokeText(label, ...where);
    ctx.fillText(label, ...where);
  }
  function drawLayer(ctx, layer, scale) {
    ctx.save();
    ctx.translate(...layer.at);
    ctx.globalAlpha = layer.opacity;
    if (pictures[layer.image]?.naturalWidth) ctx.drawImage(pictures[layer.image], 0, 0);
    if (layer.canvas) ctx.drawImage(layer.canvas, layer.left * map.tile_width, layer.top * map.tile_height);
    for (const key of layer.canvas ? paints.keys() : []) {
      const [index, column, row] = key.split(",").map(Number);
      if (index === layer.index && !inside(layer, column, row)) drawCell(ctx, layer, column, row);
    }
    ctx.restore();
    for (const thing of layer.kind === "objects" ? things : [])
      if (thing.layer === layer.index) drawThing(ctx, thing, scale);
  }
  function drawSolid(ctx) {
    ctx.fillStyle = COLOURS.solid;
    for (const layer of layers.filter((x) => x.canvas && x.shown))
      for (let row = layer.top; row < layer.top + layer.rows; ++row)
        for (let column = layer.left; column < layer.left + layer.columns; ++column)
          if (tiles.get((cellAt(layer.index, column, row) & TILE) >>> 0)?.[8])
            ctx.fillRect(column * map.tile_width, row * map.tile_height, map.tile_width, map.tile_height);
  }
  doc.draw = (ctx, scale, { current = -1, showSolid = false, plain = false } = {}) => {
    const box = doc.bounds();
    ctx.imageSmoothingEnabled = scale < 1;
    for (const layer of layers) {
      if (!layer.shown) continue;
      // tile layers other than the current one are dimmed, so that painting on the wrong layer is noticed
      ctx.globalAlpha = 1;
      ctx.filter =
        !plain && layers[current]?.kind === "tiles" && layer.kind === "tiles" && current !== layer.index
          ? "brightness(0.55)"
          : "none";
      drawLayer(ctx, layer, scale);
    }
    ctx.filter = "none";
    if (showSolid) drawSolid(ctx);
    if (plain) return;
    drawGrid(ctx, scale, box, [map.tile_width, map.tile_height], COLOURS.grid);
    ctx.strokeStyle = COLOURS.edge;
    ctx.lineWidth = 1 / scale;
    ctx.strokeRect(...box);
  };
  doc.drawTile = (ctx, tile, column, row) => {
    const x = tiles.get((tile & TILE) >>> 0);
    if (x && pictures[x[1]]?.naturalWidth)
      drawTile(ctx, pictures[x[1]], x, tile, column * map.tile_width, (row + 1) * map.tile_height);
  };
  doc.bounds = () => [
    map.left * map.tile_width,
    map.top * map.tile_height,
    Math.max(1, map.columns) * map.tile_width,
    Math.max(1, map.rows) * map.tile_height,
  ];

  // --- edits

  const paintEdits = () =>
    layers
      .filter((layer) => layer.kind === "tiles")
      .map((layer) => {
        const own = [...paints]
          .map(([key, cell]) => [...key.split(",").map(Number), cell])
          .filter(([i]) => i === layer.index);
        own.sort((a, b) => a[2] - b[2] || a[1] - b[1]);
        const runs = []; // [column, row, cell, columns, rows]
        for (const [, column, row, cell] of own) {
          const last = runs.at(-1);
          if (last && last[1] === row && last[2] === cell && last[0] + last[3] === column) ++last[3];
          else runs.push([column, row, cell, 1, 1]);
        }
        return { do: "paint", layer: layer.index, layer_name: layer.name, cells: runs };
      })
      .filter((edit) => edit.cells.length);
  function newMembers(thing) {
    const out = {
      name: thing.name,
      type: thing.class,
      x: thing.x,
      y: thing.y,
      width: thing.width,
      height: thing.height,
    };
    Object.assign(out, { rotation: thing.rotation, visible: true });
    if (thing.shape === "point") out.point = true;
    if (thing.properties.length) out.properties = changedProperties(thing.properties, []);
    return out;
  }
  function objectEdits() {
    const edits = [],
      left = new Set(was.keys());
    for (const thing of things) {
      const before = was.get(thing.id);
      left.delete(thing.id);
      if (!before) {
        const layer = layers[thing.layer];
        edits.push({ do: "add", layer: layer.index, layer_name: layer.name, object: newMembers(thing), thing });
        continue;
      }
      const object = {};
      for (const [own, member] of Object.entries(MEMBERS)) if (thing[own] !== before[own]) object[member] = thing[own];
      const properties = changedProperties(thing.properties, before.properties);
      if (Object.keys(properties).length) object.properties = properties;
      if (Object.keys(object).length) edits.push({ do: "set", id: thing.id, object, thing });
    }
    return [...edits, ...[...left].map((id) => ({ do: "remove", id }))];
  }
  doc.request = () => {
    const edits = [...paintEdits(), ...objectEdits().map(({ thing, ...edit }) => edit)];
    return edits.length ? { what: "map", map: name, edits } : null;
  };

  // --- the draft

  doc.snapshot = () => ({ paints: new Map(paints), things: structuredClone(things), selected: doc.selected });
  doc.restore = (state) => {
    const keys = new Set([...paints.keys(), ...state.paints.keys()]);
    ({ paints, things } = state);
    doc.selected = state.selected;
    if (hasLargeTiles()) layers.forEach(render);
    else
      for (const key of keys) {
        const [index, column, row] = key.split(",").map(Number);
        refresh(layers[index], column, row);
      }
  };
  doc.drop = async () => {
    paints = new Map();
    stamp = was = undefined;
    await read();
    if (!doc.find(doc.selected)) doc.selected = 0;
  };
  doc.poll = read;
  doc.layers = () => layers;
  doc.map = () => map;
  doc.cellAt = cellAt;
  doc.pictures = () => pictures;
  doc.cell = (x, y, index) => {
    const [ox, oy] = layers[index]?.at ?? [0, 0];
    return [Math.floor((x - ox) / map.tile_width), Math.floor((y - oy) / map.tile_height)];
  };
  await read();
  return doc;
}
