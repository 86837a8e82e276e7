// A Lua scene in the level editor: the entities of the file, and a draft of edits that have not been written.
import { request } from "./wire.js";
import { world } from "./world.js";
import { extent, lookOf, paint } from "./map_looks.js";
import { openMap } from "./level_map.js";
import { drawGrid } from "./level_view.js";

const CHOSEN = "#ffb454",
  PLAIN = "#8fa3bf";
const round = (value) => Number(value.toFixed(2));

// Returns the values of an entity as rows: { component, instance, field, value } or, for values that code computes,
// with `code` instead of `value`. A component without values has a row with an empty field.
function rowsOf(components) {
  const rows = [];
  for (const [component, values] of Object.entries(components ?? {})) {
    const isMany = world.byName.get(component)?.kind === "many";
    const visit = (x, instance, path) => {
      if ("value" in x || "code" in x) rows.push({ component, instance, field: path.join("."), ...x });
      else if (path.length === 0 && Object.keys(x).length === 0) rows.push({ component, instance, field: "" });
      else for (const [key, inner] of Object.entries(x)) visit(inner, instance, [...path, key]);
    };
    if (!isMany || "value" in values || "code" in values) visit(values, "", []);
    else for (const [instance, inner] of Object.entries(values)) visit(inner, instance, []);
  }
  return rows;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Opens the scene. `redraw` is called when images are loaded.
export async function openScene(name, redraw) {
  let text = "", // the most recent answer of the server, to detect changes
    was = [], // entities of the file
    items = [],
    fresh = 0;
  const maps = new Map(), // maps of tilemaps, by name
    looks = new Map(); // appearances, by assemblage
  const doc = { kind: "scene", name, selected: 0 };

  async function read() {
    const answer = await request("scene", { scene: name }),
      now = JSON.stringify(answer.entities);
    if (now === text) return false;
    if (text && doc.request()) return false; // keeps the draft: writing it reports that the file has changed
    text = now;
    doc.file = answer.file;
    was = answer.entities.map((x, i) => ({
      ...x,
      id: i + 1,
      name: x.name ?? "",
      assemblage: x.assemblage ?? "",
      rows: rowsOf(x.components),
    }));
    items = structuredClone(was);
    await Promise.all(items.map(loadMap));
    return true;
  }
  async function loadMap(item) {
    const file = item.rows.find((x) => x.component === "tilemap" && x.field === "map")?.value;
    item.map = /\.tmj$/.test(file ?? "") ? file : "";
    if (!item.map) return;
    try {
      if (!maps.has(file)) maps.set(file, await openMap(file));
      else await maps.get(file).poll();
    } catch {
      item.map = ""; // a map that cannot be read is not drawn
    }
  }

  const lookFor = (assemblage) => {
    if (!looks.has(assemblage)) {
      const known = world.schema.assemblages.find((x) => x.name === assemblage);
      looks.set(assemblage, known ? lookOf(known, redraw) : null);
    }
    return looks.get(assemblage);
  };
  doc.things = () => items;
  doc.find = (id) => items.find((x) => x.id === id);
  const hasPlace = (item) => typeof item.x === "number" && typeof item.y === "number";
  const sizeOf = (item) => {
    const look = lookFor(item.assemblage);
    return look ? extent(look).map((x) => Math.abs(x) / 2) : [0, 0];
  };
  doc.hit = (x, y, scale) => {
    const near = 7 / scale,
      found = items
        .filter((item) => hasPlace(item) && !item.map)
        .filter((item) => {
          const [w, h] = sizeOf(item);
          return Math.abs(x - item.x) <= Math.max(near, w) && Math.abs(y - item.y) <= Math.max(near, h);
        });
    const area = (item) => sizeOf(item).reduce((a, b) => a * b);
    return found.sort((a, b) => area(a) - area(b) || b.id - a.id)[0]?.id ?? 0; // the smallest of the items found
  };
  doc.move = (id, x, y) => Object.assign(doc.find(id), { x: round(x), y: round(y) });
  doc.remove = (id) => {
    items = items.filter((x) => x.id !== id);
  };
  doc.add = (_, x, y, { class: assemblage }) => {
    items.push({ id: --fresh, assemblage, name: "", x: round(x), y: round(y), rows: [], line: 0 });
    return fresh;
  };
  doc.bounds = () => {
    const boxes = items.filter(hasPlace).map((item) => {
      const [w, h] = sizeOf(item),
        box = item.map && maps.get(item.map)?.bounds();
      return box
        ? [item.x + box[0], item.y + box[1], item.x + box[0] + box[2], item.y + box[1] + box[3]]
        : [item.x - w, item.y - h, item.x + w, item.y + h];
    });
    if (boxes.length === 0) return [0, 0, 1280, 720];
    const edge = (i, choose) => choose(...boxes.map((x) => x[i]));
    const [left, top, right, bottom] = [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
    return [left, top, Math.max(right - left, 64), Math.max(bottom - top, 64)];
  };
  function drawItem(ctx, item, scale) {
    const look = lookFor(item.assemblage),
      chosen = item.id === doc.selected,
      [w, h] = sizeOf(item);
    ctx.save();
    ctx.translate(item.x, item.y);
    if (item.map) maps.get(item.map)?.draw(ctx, scale, { plain: true });
    else if (look) paint(ctx, look, scale);
    ctx.restore();
    if ((look || item.map) && !chosen) return;
    ctx.strokeStyle = ctx.fillStyle = chosen ? CHOSEN : PLAIN;
    ctx.lineWidth = 1.5 / scale;
    const reach = [Math.max(w, 6 / scale), Math.max(h, 6 / scale)].map((x) => x + 3 / scale);
    ctx.strokeRect(item.x - reach[0], item.y - reach[1], 2 * reach[0], 2 * reach[1]);
    if (!item.name && !item.assemblage) return;
    ctx.font = `${11 / scale}px system-ui, sans-serif`;
    ctx.fillText(item.name || item.assemblage, item.x - reach[0], item.y - reach[1] - 4 / scale);
  }
  doc.draw = (ctx, scale, { grid = 0 } = {}) => {
    const box = doc.bounds();
    for (const item of items) if (hasPlace(item)) drawItem(ctx, item, scale);
    if (grid) {
      const [left, top, width, height] = box,
        from = [Math.floor(left / grid) * grid, Math.floor(top / grid) * grid];
      drawGrid(ctx, scale, [...from, left + width - from[0], top + height - from[1]], [grid, grid], "#ffffff12");
    }
  };

  // --- edits

  function addEdit(item) {
    const components = { transform: { x: item.x, y: item.y } };
    for (const { component, field, value } of item.rows) {
      components[component] ??= {};
      if (field) components[component][field] = value;
    }
    return {
      do: "add",
      entity: { assemblage: item.assemblage || undefined, name: item.name || undefined, components },
    };
  }
  function setEdits(item, before) {
    const edits = [],
      about = { entity: before.id - 1, was: { name: before.name, assemblage: before.assemblage } },
      values = new Map(); // values by component and instance
    const change = ({ component, instance = "", field }, value) => {
      const key = JSON.stringify([component, instance]);
      values.set(key, { ...values.get(key), [field]: value });
    };
    if (item.x !== before.x) change({ component: "transform", field: "x" }, item.x);
    if (item.y !== before.y) change({ component: "transform", field: "y" }, item.y);
    const find = (rows, x) =>
      rows.find((y) => y.component === x.component && y.instance === x.instance && y.field === x.field);
    for (const row of item.rows) {
      const isPlace = row.component === "transform" && /^[xy]$/.test(row.field);
      if (!isPlace && "value" in row && !same(row.value, find(before.rows, row)?.value)) change(row, row.value);
    }
    const whole = (row, own) =>
      edits.push({ do: "set", ...about, component: row.component, instance: row.instance || undefined, values: own });
    const has = (rows, row) => rows.some((x) => x.component === row.component && x.instance === row.instance);
    for (const row of item.rows) if (!row.field && !has(before.rows, row)) whole(row, {});
    for (const row of before.rows) {
      if (find(item.rows, row)) continue;
      if (row.field) change(row, null);
      else if (!has(item.rows, row)) whole(row, null);
    }
    for (const [key, own] of values) {
      const [component, instance] = JSON.parse(key);
      edits.push({ do: "set", ...about, component, instance: instance || undefined, values: own });
    }
    // the name is set last, because `was` contains the old one
    if (item.name !== before.name) edits.push({ do: "set", ...about, members: { name: item.name || null } });
    return edits;
  }
  doc.request = () => {
    const kept = new Map(items.map((x) => [x.id, x])),
      edits = was.flatMap((before) => (kept.has(before.id) ? setEdits(kept.get(before.id), before) : []));
    for (const before of [...was].reverse())
      if (!kept.has(before.id))
        edits.push({ do: "remove", entity: before.id - 1, was: { name: before.name, assemblage: before.assemblage } });
    edits.push(...items.filter((x) => x.id < 0).map(addEdit));
    return edits.length ? { what: "scene", scene: name, edits } : null;
  };

  // --- the draft

  doc.snapshot = () => ({ items: structuredClone(items), selected: doc.selected });
  doc.restore = (state) => {
    ({ items } = state);
    doc.selected = state.selected;
  };
  doc.drop = async () => {
    text = "";
    doc.selected = 0;
    await read();
  };
  doc.poll = read;
  doc.layers = () => [];
  await read();
  return doc;
}
