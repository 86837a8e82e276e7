// Levels panel: paints cells and places objects in Tiled maps (.tmj) and Lua scenes. Edits are a draft until they are
// written; their diff is shown by change_view.js.
import { request } from "./wire.js";
import { world, changes } from "./world.js";
import { make, notify, showError } from "./kit.js";
import { proposalView } from "./change_view.js";
import { componentItems, fieldsOf, searchInput, toValue } from "./kinds.js";
import { levelView } from "./level_view.js";
import { openMap } from "./level_map.js";
import { openScene } from "./level_scene.js";
import { FLIP_DIAGONAL, FLIP_X, FLIP_Y, TILE } from "./map_tiles.js";
import { thumbnail } from "./map_looks.js";

const MAX_UNDO = 100,
  POLL_MS = 1500,
  MAX_REQUEST = 240000, // in characters; the server accepts messages of 256 KB
  SIDE = 262, // width of a tileset in pixels
  MIN_TILE = 16; // minimum width of a tile in a tileset
const TOOLS = [
  ["select", "Select", "v", "select, move and delete objects (V)", "map scene"],
  ["place", "Place", "p", "place objects or entities (P); drag for a rectangle", "map scene"],
  ["brush", "Brush", "b", "paint tiles (B)", "map"],
  ["rect", "Rectangle", "r", "fill a rectangle with the tile (R)", "map"],
  ["erase", "Erase", "e", "erase tiles (E)", "map"],
  ["pick", "Pick", "i", "pick the tile under the pointer (I)", "map"],
];
const PROPERTY_TYPES = ["string", "int", "float", "bool", "color", "file", "object"];
const KEYS =
  "V: select · P: place · Alt: no grid · arrows, Shift+arrows: move · Del: delete · Ctrl+Z: undo · " +
  "right button, Alt+arrows: pan · wheel, + −: zoom · F: fit";
let doc = null,
  tool = "select",
  layer = 0,
  tile = 1, // number of the chosen tile, with flips
  placed = "", // assemblage to place
  hovered = null, // cell or point under the pointer
  box = null, // rectangle that is dragged
  showSolid = false,
  undos = [],
  view,
  proposal,
  side,
  bar,
  chooser,
  status,
  keys,
  timer,
  files = [];

// --- the draft

const remember = () => {
  undos.push(doc.snapshot());
  if (undos.length > MAX_UNDO) undos.shift();
};
function proposeChange(now) {
  const body = doc.request();
  if (JSON.stringify(body).length > MAX_REQUEST) {
    proposal.update(null, true);
    notify("The draft is too large to send: undo a step with Ctrl+Z, then write the draft", true);
  } else proposal.update(body, now);
  view.draw();
}
function undo() {
  if (undos.length === 0) return false;
  doc.restore(undos.pop());
  proposeChange(true);
  drawSide();
  return true;
}
async function dropDraft() {
  undos = [];
  if (doc) await doc.drop();
  if (doc) proposeChange(true);
  drawSide();
}

// --- painting

const tileLayer = () => doc.layers()[layer]?.kind === "tiles";
function requireLayer(kind, what) {
  if (doc.kind === "scene" || doc.layers()[layer]?.kind === kind) return true;
  const other = doc.layers().findIndex((x) => x.kind === kind && x.shown);
  if (other < 0) {
    notify(`This map has no ${what} layer: add one in Tiled`, true);
    return false;
  }
  layer = other;
  drawSide();
  return true;
}
// Returns the cells between two cells, so that fast strokes have no gaps.
function cellsBetween([x1, y1], [x2, y2]) {
  const steps = Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1), 1);
  return Array.from({ length: steps + 1 }, (_, i) => [
    Math.round(x1 + ((x2 - x1) * i) / steps),
    Math.round(y1 + ((y2 - y1) * i) / steps),
  ]);
}
function stroke(cell, at) {
  if (!requireLayer("tiles", "tile")) return null;
  let last = at,
    outside = 0;
  remember();
  const paint = (cells) => {
    outside += doc.paint(
      layer,
      cells.map(([x, y]) => [x, y, cell]),
    );
  };
  paint([at]);
  return {
    move: (x, y) => {
      const now = doc.cell(x, y, layer);
      paint(cellsBetween(last, now));
      last = now;
    },
    up: () => {
      if (outside) notify("Cells outside the map were not painted: enlarge the map in Tiled", true);
      proposeChange(true);
    },
  };
}
const boxOf = ([x1, y1], [x2, y2]) => [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
function fillRectangle(from) {
  if (!requireLayer("tiles", "tile")) return null;
  box = boxOf(from, from);
  return {
    move: (x, y) => {
      box = boxOf(from, doc.cell(x, y, layer));
    },
    up: () => {
      const cells = [];
      for (let y = box[1]; y <= box[3]; ++y) for (let x = box[0]; x <= box[2]; ++x) cells.push([x, y, tile]);
      remember();
      const outside = doc.paint(layer, cells);
      if (outside) notify("Cells outside the map were not painted: enlarge the map in Tiled", true);
      box = null;
      proposeChange(true);
    },
  };
}
function pickTile([column, row]) {
  const found = doc.layers().findLastIndex((x, i) => x.kind === "tiles" && x.shown && doc.cellAt(i, column, row));
  if (found < 0) return;
  tile = doc.cellAt(tileLayer() && doc.cellAt(layer, column, row) ? layer : found, column, row);
  setTool("brush");
}
// Flips the chosen tile, or rotates it by a quarter turn.
function turnTile(key) {
  const flags = tile & ~TILE,
    has = (flag) => (flags & flag) !== 0;
  let [x, y, diagonal] = [has(FLIP_X), has(FLIP_Y), has(FLIP_DIAGONAL)];
  if (key === "x") x = !x;
  else if (key === "y") y = !y;
  else [x, y, diagonal] = diagonal ? [!y, x, false] : [!y, x, true];
  tile = ((tile & TILE) | (x ? FLIP_X : 0) | (y ? FLIP_Y : 0) | (diagonal ? FLIP_DIAGONAL : 0)) >>> 0;
}

// --- objects and entities

const step = () => (doc.kind === "map" ? [doc.map().tile_width / 2, doc.map().tile_height / 2] : [8, 8]);
const snap = (value, by, event) => (event?.altKey ? value : Math.round(value / by) * by);
function select(id) {
  doc.selected = id;
  drawSide();
  view.draw();
}
function dragThing(x, y, event) {
  const id = doc.hit(x, y, view.scale());
  select(id);
  if (!id) return null;
  const thing = doc.find(id),
    from = [thing.x, thing.y];
  let moved = false;
  return {
    move: (nx, ny) => {
      if (!moved && Math.hypot(nx - x, ny - y) * view.scale() < 4) return;
      if (!moved) remember();
      moved = true;
      const [sx, sy] = step();
      doc.move(id, snap(from[0] + nx - x, sx, event), snap(from[1] + ny - y, sy, event));
    },
    up: () => {
      if (!moved) return;
      proposeChange(true);
      drawSide();
    },
  };
}
function placeThing(x, y, event) {
  if (!requireLayer("objects", "object")) return null;
  if (doc.kind === "scene" && !placed) {
    notify("Choose an assemblage to place", true);
    return null;
  }
  const [sx, sy] = step(),
    offset = doc.layers()[layer]?.at ?? [0, 0],
    from = [snap(x - offset[0], sx, event), snap(y - offset[1], sy, event)];
  let to = from;
  return {
    move: (nx, ny) => {
      to = [snap(nx - offset[0], sx, event), snap(ny - offset[1], sy, event)];
      box = doc.kind === "map" ? [...from, ...to] : null;
    },
    up: () => {
      const [left, top, right, bottom] = boxOf(from, to);
      const isBox = doc.kind === "map" && right > left && bottom > top;
      box = null;
      remember();
      const size = isBox ? { shape: "rect", width: right - left, height: bottom - top } : {};
      select(doc.add(layer, isBox ? left : to[0], isBox ? top : to[1], { class: placed, ...size }));
      proposeChange(true);
    },
  };
}
function removeSelected() {
  if (!doc.selected) return false;
  remember();
  doc.remove(doc.selected);
  select(0);
  proposeChange(true);
  return true;
}

function down(x, y, event) {
  if (!doc) return null;
  const cell = doc.kind === "map" && doc.cell(x, y, layer);
  if (tool === "brush") return stroke(tile, cell);
  if (tool === "erase") return stroke(0, cell);
  if (tool === "rect") return fillRectangle(cell);
  if (tool === "pick") return pickTile(cell) ?? null;
  return tool === "place" ? placeThing(x, y, event) : dragThing(x, y, event);
}
function key(event) {
  if (!doc) return false;
  if ((event.ctrlKey || event.metaKey) && event.key === "z") return undo();
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const chosen = TOOLS.find((x) => x[2] === event.key.toLowerCase() && x[4].includes(doc.kind));
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (event.key === "Delete" || event.key === "Backspace") return removeSelected();
  if (event.key === "Escape") select(0);
  else if (event.key === "f") view.fit(doc.bounds());
  else if (/^[xyz]$/.test(event.key) && doc.kind === "map") {
    turnTile(event.key);
    drawSide();
  } else if (chosen) setTool(chosen[0]);
  else if (moves && doc.selected) {
    const thing = doc.find(doc.selected),
      by = event.shiftKey ? step() : [1, 1];
    remember();
    doc.move(doc.selected, thing.x + moves[0] * by[0], thing.y + moves[1] * by[1]);
    proposeChange();
    drawSide();
  } else if (event.key === "Enter" && tool === "place") {
    placeThing(...view.centre(), event)?.up();
  } else return false;
  return true;
}

// --- drawing

function hover(x, y) {
  hovered = x === undefined || !doc ? null : [x, y];
  const cell = hovered && doc.kind === "map" && doc.cell(x, y, layer);
  const found = cell && tileLayer() ? doc.cellAt(layer, ...cell) : 0;
  status.textContent = !hovered
    ? ""
    : cell
      ? `cell ${cell.join(", ")}${found ? `  tile ${(found & TILE) >>> 0}` : ""}  ${Math.round(x)}, ${Math.round(y)} px`
      : `${Math.round(x)}, ${Math.round(y)} px`;
}
function drawPreview(ctx, scale) {
  ctx.strokeStyle = "#ffb454";
  ctx.lineWidth = 1.5 / scale;
  if (doc.kind === "map" && /brush|rect|erase|pick/.test(tool) && hovered) {
    const { tile_width: w, tile_height: h } = doc.map(),
      at = doc.cell(...hovered, layer),
      area = tool === "rect" && box ? box : [...at, ...at];
    ctx.save();
    ctx.translate(...(doc.layers()[layer]?.at ?? [0, 0]));
    ctx.globalAlpha = 0.7;
    if (/brush|rect/.test(tool))
      for (let y = area[1]; y <= area[3]; ++y) for (let x = area[0]; x <= area[2]; ++x) doc.drawTile(ctx, tile, x, y);
    ctx.globalAlpha = 1;
    ctx.strokeRect(area[0] * w, area[1] * h, (area[2] - area[0] + 1) * w, (area[3] - area[1] + 1) * h);
    ctx.restore();
  } else if (tool === "place" && box) {
    const [left, top, right, bottom] = boxOf(box.slice(0, 2), box.slice(2));
    ctx.strokeRect(left, top, right - left, bottom - top);
  }
}
function draw(ctx, scale) {
  if (!doc) return;
  doc.draw(ctx, scale, {
    current: /select|place/.test(tool) ? -1 : layer,
    showSolid,
    grid: doc.kind === "scene" ? 16 : 0,
  });
  drawPreview(ctx, scale);
}

// --- the tileset

// Draws the tiles of an image at their positions in the image. Tiles that are whole images are drawn in a row.
function tilesetView(image, list) {
  const map = doc.map(),
    picture = doc.pictures()[image],
    width = picture?.naturalWidth ?? 0,
    own = list.every((x) => !x[4]);
  // fits the panel, unless tiles would become too small to tell apart
  const scale = own ? 1 : Math.max(Math.min(2, SIDE / Math.max(1, width)), MIN_TILE / map.tile_width),
    ratio = devicePixelRatio || 1;
  const canvas = make("canvas.tileset", {
    title: map.images[image],
    ariaLabel: `tiles of ${map.images[image]}`,
    role: "img",
  });
  const areas = list.map(([number, , x, y, w, h]) => [number, x, y, w || width, h || picture?.naturalHeight || 0]);
  const high = Math.max(...areas.map(([, , y, , h]) => y + h), 1);
  canvas.width = width * scale * ratio;
  canvas.height = high * scale * ratio;
  canvas.style.width = `${width * scale}px`;
  const ctx = canvas.getContext("2d");
  ctx.scale(scale * ratio, scale * ratio);
  ctx.imageSmoothingEnabled = scale < 1;
  if (width) ctx.drawImage(picture, 0, 0);
  const chosen = areas.find(([number]) => number === (tile & TILE) >>> 0);
  if (chosen) {
    ctx.strokeStyle = "#ffb454";
    ctx.lineWidth = 2 / scale;
    ctx.strokeRect(chosen[1], chosen[2], chosen[3], chosen[4]);
  }
  canvas.onclick = (event) => {
    const [px, py] = [event.offsetX / scale, event.offsetY / scale];
    const found = areas.find(([, x, y, w, h]) => px >= x && py >= y && px < x + w && py < y + h);
    if (found) chooseTile(found[0]);
  };
  return make("div.tileset-box", null, canvas);
}
function chooseTile(number) {
  tile = number;
  if (!/brush|rect/.test(tool)) setTool("brush");
  else drawSide();
  view.canvas.focus();
}
function tilesets() {
  const byImage = new Map();
  for (const x of doc.map().tiles) byImage.set(x[1], [...(byImage.get(x[1]) ?? []), x]);
  const flags = [
    [FLIP_X, "↔"],
    [FLIP_Y, "↕"],
    [FLIP_DIAGONAL, "⤢"],
  ]
    .filter(([flag]) => tile & flag)
    .map(([, sign]) => sign);
  const number = make("input", {
    type: "number",
    min: 1,
    value: (tile & TILE) >>> 0,
    ariaLabel: "tile number",
    onchange: () => chooseTile(Math.max(1, Number(number.value) || 1)),
  });
  return make(
    "section",
    null,
    make("h3", null, "Tile"),
    make(
      "div.tile-bar",
      null,
      number,
      make("span.grow.dim", null, flags.length ? `flipped ${flags.join(" ")}` : ""),
      ["x", "y", "z"].map((x, i) =>
        make(
          "button.plain",
          {
            title: ["flip horizontally (X)", "flip vertically (Y)", "rotate (Z)"][i],
            onclick: () => {
              turnTile(x);
              drawSide();
            },
          },
          ["↔", "↕", "↻"][i],
        ),
      ),
    ),
    byImage.size
      ? [...byImage].map(([image, list]) => tilesetView(image, list))
      : make("div.dim", null, "The map has no tileset: add one in Tiled."),
  );
}

// --- forms

function labelledField(label, widget) {
  return make("div.level-field", null, make("label", null, label), widget);
}
function memberInput(object, name, label, type = "text", more) {
  const widget = make("input", {
    type,
    value: object[name] ?? "",
    ariaLabel: label,
    spellcheck: false,
    autocomplete: "off",
    ...more,
  });
  widget.onchange = () => {
    const value = type === "number" ? Number(widget.value) || 0 : widget.value;
    if (value === object[name]) return;
    remember();
    object[name] = value;
    proposeChange(true);
  };
  return widget;
}
// Creates a row with an input for each of these numbers of an object or entity (`what`).
function numberPairField(label, object, names, what, more) {
  const inputs = names.map((name) => memberInput(object, name, `${what} ${name}`, "number", { step: "any", ...more }));
  return labelledField(label, make("div.row-widgets", null, ...inputs));
}
function valueInput(row, label) {
  if ("code" in row)
    return make("input", {
      value: row.code,
      disabled: true,
      ariaLabel: label,
      title: "code creates this value: edit the file",
    });
  const fields = fieldsOf(row.component),
    known = fields.find((x) => x.name === row.field),
    type =
      known?.type ??
      (typeof row.value === "number"
        ? "f64"
        : typeof row.value === "boolean"
          ? "bool"
          : Array.isArray(row.value)
            ? "vector"
            : "string");
  const widget = make("input", {
    value: Array.isArray(row.value) ? row.value.join(", ") : (row.value ?? ""),
    ariaLabel: label,
    spellcheck: false,
  });
  widget.onchange = () => {
    remember();
    row.value = toValue(type, widget.value) ?? "";
    proposeChange(true);
  };
  return widget;
}
const removeRow = (title, onclick) => make("button.plain.danger", { title, ariaLabel: title, onclick }, "×");
function act(change) {
  return () => {
    remember();
    change();
    proposeChange(true);
    drawSide();
  };
}

function propertyRow(thing, i) {
  const x = thing.properties[i];
  if (typeof x.value === "object")
    return labelledField(x.name, make("span.dim", null, "class property: edit it in Tiled"));
  const widget =
    x.type === "bool"
      ? make("input", { type: "checkbox", checked: x.value === true })
      : make("input", { value: String(x.value) });
  widget.setAttribute("aria-label", `property ${x.name}`);
  widget.onchange = () => {
    remember();
    x.value =
      x.type === "bool"
        ? widget.checked
        : /^(int|float|object)$/.test(x.type)
          ? Number(widget.value) || 0
          : widget.value;
    proposeChange(true);
  };
  return labelledField(
    x.name,
    make(
      "div.row-widgets",
      null,
      widget,
      make("span.dim", null, x.type ?? "string"),
      removeRow(
        `remove property ${x.name}`,
        act(() => thing.properties.splice(i, 1)),
      ),
    ),
  );
}
function newProperty(thing) {
  const name = make("input", { placeholder: "property, such as lock.key", ariaLabel: "name of the new property" }),
    type = make(
      "select",
      { ariaLabel: "type of the new property" },
      PROPERTY_TYPES.map((x) => make("option", { value: x }, x)),
    );
  const add = () => {
    const text = name.value.trim();
    if (!text || thing.properties.some((x) => x.name === text)) return name.focus();
    const first = { int: 0, float: 0, object: 0, bool: false, color: "#ffffffff" }[type.value] ?? "";
    act(() => thing.properties.push({ name: text, type: type.value, value: first }))();
    side.querySelector(`[aria-label="property ${CSS.escape(text)}"]`)?.focus();
  };
  name.onkeydown = (event) => {
    if (event.key === "Enter") add();
  };
  return make("div.row-widgets.new-property", null, name, type, make("button", { onclick: add }, "+"));
}
function objectForm(thing) {
  const isPoint = /point|poly/.test(thing.shape);
  return [
    make("h3", null, thing.id > 0 ? `Object ${thing.id}` : "New object", make("span.badge", null, thing.shape)),
    labelledField("name", memberInput(thing, "name", "object name")),
    labelledField("class", memberInput(thing, "class", "object class", "text", { placeholder: "assemblage" })),
    numberPairField("x, y", thing, ["x", "y"], "object"),
    !isPoint && numberPairField("size", thing, ["width", "height"], "object", { min: 0 }),
    labelledField("rotation", memberInput(thing, "rotation", "object rotation", "number", { step: "any" })),
    make("h3", null, "Properties"),
    ...thing.properties.map((_, i) => propertyRow(thing, i)),
    newProperty(thing),
  ];
}
function newValue(item) {
  let component = "";
  const fields = make("select", { ariaLabel: "field to set", hidden: true });
  const choose = (name) => {
    component = name;
    const taken = item.rows.filter((x) => x.component === name).map((x) => x.field);
    const free = fieldsOf(name).filter((x) => !taken.includes(x.name));
    fields.replaceChildren(
      make("option", { value: "" }, `${name}: choose a field`),
      ...free.map((x) => make("option", { value: x.name }, x.name)),
    );
    if (fieldsOf(name).length === 0) return act(() => item.rows.push({ component: name, instance: "", field: "" }))();
    fields.hidden = false;
    fields.focus();
  };
  fields.onchange = () => {
    const known = fieldsOf(component).find((x) => x.name === fields.value);
    if (!known) return;
    const text = String(known.default ?? "");
    const value = toValue(known.type, text) ?? "";
    act(() => item.rows.push({ component, instance: "", field: known.name, value }))();
    side.querySelector(`[aria-label="${CSS.escape(`${component}.${known.name}`)}"]`)?.focus();
  };
  const tags = item.rows.filter((x) => !x.field).map((x) => x.component);
  const items = () => componentItems(tags).filter((x) => world.byName.get(x.name)?.kind !== "many");
  return make(
    "div.new-value",
    null,
    searchInput("component of the value", "set a value: search components", items, choose),
    fields,
  );
}
function entityForm(item) {
  const title = item.id > 0 ? `Entity ${item.id}` : "New entity";
  if (item.code)
    return [
      make("h3", null, title),
      make("div.dim", null, `Code creates this entity (line ${item.line}): edit the file.`),
      make("code", null, item.code),
    ];
  const place = typeof item.x === "number" && typeof item.y === "number";
  const rows = item.rows.filter((x) => !(place && x.component === "transform" && /^[xy]$/.test(x.field)));
  return [
    make("h3", null, title, item.line > 0 && make("span.dim", null, `${doc.file}:${item.line}`)),
    labelledField("assemblage", make("span", null, item.assemblage || "–")),
    labelledField("name", memberInput(item, "name", "entity name")),
    place && numberPairField("x, y", item, ["x", "y"], "entity"),
    make("h3", null, "Values"),
    ...rows.map((row) => {
      const label = [row.component, row.instance, row.field].filter(Boolean).join(".");
      const widget = row.field || "code" in row ? valueInput(row, label) : make("span.dim.grow", null, "no values");
      const remove = removeRow(
        `remove ${label}`,
        act(() => item.rows.splice(item.rows.indexOf(row), 1)),
      );
      return labelledField(label, make("div.row-widgets", null, widget, remove));
    }),
    newValue(item),
  ];
}
function thingForm() {
  const thing = doc.find(doc.selected);
  if (!thing) return null;
  const remove = make("button.danger", { onclick: removeSelected, title: "delete (Del)" }, "Delete");
  return make(
    "section.thing",
    null,
    doc.kind === "map" ? objectForm(thing) : entityForm(thing),
    make("div.actions", null, remove),
  );
}
function thingList() {
  const list = doc.things();
  const label = (x) => x.name || x.class || x.assemblage || x.code || (doc.kind === "map" ? x.shape : "entity");
  return make(
    "section",
    null,
    make("h3", null, doc.kind === "map" ? "Objects" : "Entities"),
    make(
      "div.thing-list",
      null,
      list.map((x, i) =>
        make(
          x.id === doc.selected ? "button.thing-row.chosen" : "button.thing-row",
          { onclick: () => select(x.id) },
          make("span", null, label(x)),
          make("span.dim", null, x.id > 0 ? String(doc.kind === "map" ? x.id : i + 1) : "new"),
        ),
      ),
    ),
    list.length === 0 && make("div.dim", null, "none"),
  );
}
function placeList() {
  const known = world.schema.assemblages.filter((x) => !x.name.includes("/"));
  const row = (name, ...children) => {
    const button = make(
      name === placed ? "button.item.chosen" : "button.item",
      {
        onclick: () => {
          placed = name;
          drawSide();
        },
      },
      ...children,
    );
    button.dataset.name = name;
    return button;
  };
  return make(
    "section.palette",
    null,
    make("h3", null, "Place"),
    doc.kind === "map" && row("", make("span.name", null, "(no class)")),
    known.map((x) => row(x.name, thumbnail(x), make("span.name", null, x.name))),
  );
}
function layerList() {
  return make(
    "section",
    null,
    make("h3", null, "Layers"),
    [...doc.layers()].reverse().map((x) => {
      const title = "show the layer on this page; the file is not changed";
      const shown = make("input", {
        type: "checkbox",
        checked: x.shown,
        ariaLabel: `show layer ${x.name}`,
        title,
        onchange: () => {
          x.shown = shown.checked;
          view.draw();
        },
      });
      const button = make(
        "button.layer-name",
        {
          onclick: () => {
            layer = x.index;
            if (x.kind === "objects" && !/select|place/.test(tool)) tool = "select";
            else if (x.kind === "tiles" && /place|select/.test(tool)) tool = "brush";
            drawAll();
          },
        },
        x.name || "(no name)",
        make("span.dim", null, x.kind),
      );
      button.setAttribute("aria-pressed", x.index === layer);
      return make("div.layer-row", null, shown, button);
    }),
  );
}

function noLevels() {
  return make(
    "div.empty",
    null,
    make(
      "p",
      null,
      "The levels of the game appear here: Tiled maps, assets/NAME.tmj, and Lua scenes, scenes/NAME.lua.",
    ),
    make("p", null, "Create a map with Tiled, or write a scene:"),
    make("p", null, make("code", null, 'return { entities = { { assemblage = "rock" } } }')),
    make("p", null, "To place entities of the running game and save them as a scene, use the Map tab."),
  );
}

function drawSide() {
  if (!doc) return side.replaceChildren(...(files.length ? [] : [noLevels()]));
  const focused = side.contains(document.activeElement) && document.activeElement.getAttribute("aria-label"),
    top = side.scrollTop;
  const parts = doc.kind === "map" ? [layerList(), /brush|rect|erase|pick/.test(tool) ? tilesets() : null] : [];
  side.replaceChildren(
    ...[
      ...parts,
      tool === "place" ? placeList() : null,
      /select|place/.test(tool) ? thingForm() : null,
      /select/.test(tool) ? thingList() : null,
    ].filter(Boolean),
  );
  side.scrollTop = top;
  if (focused) side.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}
function drawBar() {
  for (const button of bar.querySelectorAll("[data-tool]")) {
    button.setAttribute("aria-pressed", button.dataset.tool === tool);
    button.hidden = !doc || !TOOLS.find((x) => x[0] === button.dataset.tool)[4].includes(doc.kind);
  }
  keys.hidden = !doc;
  keys.textContent =
    (doc?.kind === "map" ? "B: brush · R: rectangle · E: erase · I: pick · X, Y, Z: flip, rotate · " : "") + KEYS;
  bar.querySelector(".solid").hidden = doc?.kind !== "map";
  bar.querySelector(".restart").hidden = doc?.kind !== "scene";
}
function drawAll() {
  view.canvas.hidden = proposal.element.hidden = !doc && files.length === 0;
  drawSide();
  drawBar();
  view.canvas.style.cursor = tool === "select" ? "default" : "crosshair";
  view.draw();
}
function setTool(name) {
  tool = name;
  if (/brush|rect|erase/.test(name)) requireLayer("tiles", "tile");
  drawAll();
}

// --- files

async function open(file, keepsView) {
  try {
    undos = [];
    doc = /\.tmj$/.test(file)
      ? await openMap(file.replace(/^assets\//, ""))
      : await openScene(file.replace(/^scenes\/|\.lua$/g, ""), view.draw);
    localStorage.setItem("level", file);
    if (!TOOLS.find((x) => x[0] === tool)[4].includes(doc.kind)) tool = "select";
    layer = Math.max(
      0,
      doc.layers().findIndex((x) => x.kind === "tiles"),
    );
    if (!keepsView) view.fit(doc.bounds());
    proposal.update(null, true);
  } catch (error) {
    doc = null;
    showError(error);
  }
  drawAll();
}
async function loadFiles() {
  const { rows } = await request("files");
  files = rows.map(([name]) => name).filter((name) => /^assets\/.*\.tmj$|^scenes\/[^/]*\.lua$/.test(name));
  const last = chooser.value || localStorage.getItem("level");
  chooser.replaceChildren(
    ...(files.length ? files : [""]).map((x) => make("option", { value: x }, x || "no maps (.tmj) or scenes (.lua)")),
  );
  chooser.value = files.includes(last) ? last : (files[0] ?? "");
}
async function poll() {
  try {
    if (doc && (await doc.poll())) {
      drawSide();
      proposeChange(true);
    }
  } catch {
    /* the file cannot be read at the moment: keeps the last version */
  }
}

export function panel() {
  view = levelView({ draw, down, hover, key });
  proposal = proposalView({
    hint:
      "Paint cells, or place and move objects, to see the change to the file. " +
      "Nothing is written before you press Write.",
    onProblems: (list) => {
      if (list.length) notify(list.map((x) => x.text).join("; "), true);
    },
    onCancel: () => dropDraft().catch(showError),
    onWritten: () => dropDraft().catch(showError),
  });
  chooser = make("select", { ariaLabel: "level", onchange: () => open(chooser.value) });
  const solid = make("input", {
    type: "checkbox",
    onchange: () => {
      showSolid = solid.checked;
      view.draw();
    },
  });
  const restart = () =>
    request("lua", { text: `world.scene("${doc.name}")` })
      .then(() => notify(`Started scene ${doc.name}`))
      .catch(showError);
  bar = make(
    "div.bar",
    null,
    chooser,
    make(
      "div.group",
      { role: "group" },
      TOOLS.map(([name, label, , title]) => {
        const button = make("button", { title, onclick: () => setTool(name) }, label);
        button.dataset.tool = name;
        return button;
      }),
    ),
    make("label.check.solid", { title: "mark solid tiles" }, solid, " solid"),
    make(
      "button.restart",
      { onclick: restart, title: "restart the scene with the entities of the file" },
      "Start scene",
    ),
    make("button", { onclick: () => doc && view.fit(doc.bounds()), title: "fit the level (F)" }, "Fit"),
    (status = make("span.dim.mono")),
  );
  side = make("div.level-side.scroll");
  changes.addEventListener("loaded", () => {
    if (timer)
      loadFiles()
        .then(poll)
        .catch(() => {});
  });
  return make(
    "div.panel.levels",
    null,
    bar,
    make("div.level-main", null, side, view.canvas, proposal.element),
    (keys = make("footer.dim.keys")),
  );
}
export async function shown() {
  document.body.classList.add("wide");
  timer ??= setInterval(poll, POLL_MS);
  try {
    await loadFiles();
  } catch {
    return; // the request is repeated when the panel is shown
  }
  if (!doc && chooser.value) await open(chooser.value);
  else drawAll();
}
export function hidden() {
  document.body.classList.remove("wide");
  clearInterval(timer);
  timer = undefined;
}
// For tests: converts a point of the level to page coordinates.
export const pagePoint = (x, y) => {
  const box = view.canvas.getBoundingClientRect(),
    [cx, cy] = view.centre();
  return [box.left + box.width / 2 + (x - cx) * view.scale(), box.top + box.height / 2 + (y - cy) * view.scale()];
};
export const current = () => doc;
