// Map of the world, for making levels: select, move and destroy entities, and place assemblages from a palette. Every
// change is a request of the protocol, so it is recorded and can be undone. y points down, as in the game.
import { ask, events, follow } from "./wire.js";
import { world, changes, pick } from "./world.js";
import { $, make, refill, complain, tell } from "./kit.js";
import * as tiles from "./map_tiles.js";
import * as ghosts from "./map_ghosts.js";
import { cut } from "./map_sheets.js";

const MAX = 4000,
  REACH = 7,
  HANDLE = 22; // pixels: extra hit area of small entities, and distance of the rotation handle
const TURN = Math.PI / 12; // one step of rotation
const PLACES = `SELECT entity, x, y, angle, scale_x, scale_y, parent FROM transform LIMIT ${MAX}`;
const LOOKS = `SELECT t.entity, e.assemblage, e.name, s.kind, s.radius, s.width, s.height, s.points, s.filled, s.colour_x, s.colour_y, s.colour_z,
  p.image, p.width AS w, p.height AS h, p.frame, p.frames, p.flip, p.flip_y, p.tint_x, p.tint_y, p.tint_z, i.name AS scene, s.visible, coalesce(s.layer, p.layer, 0) AS layer
  FROM transform t JOIN entities e ON e.entity = t.entity LEFT JOIN shape s ON s.entity = t.entity LEFT JOIN sprite p ON p.entity = t.entity
  LEFT JOIN in_scene i ON i.entity = t.entity LIMIT ${MAX}`;
const CAMERA =
  "SELECT c.background_x, c.background_y, c.background_z, c.zoom, t.x, t.y FROM camera c LEFT JOIN transform t ON t.entity = c.entity WHERE active LIMIT 1";

const places = new Map(),
  looks = new Map(),
  pictures = new Map(),
  chosen = new Set();
const view = { x: 640, y: 360, scale: 0, fitted: false };
let camera = null; // the initial view includes the window's view
let looking,
  touched = false; // `touched`: the user moved the view, so it stays
let ends = [],
  canvas,
  pen,
  back = "#0d1017",
  tool = null,
  drag = null,
  mouse = null,
  sceneOf = localStorage.getItem("scene") || "level1";
let step = Number(localStorage.getItem("grid") ?? 16),
  snaps = localStorage.getItem("snap") !== "0",
  asked = false;

// --- where things are

function place(entity, depth = 0) {
  const own = places.get(entity);
  if (!own) return null;
  const parent = own.parent && depth < 16 ? place(own.parent, depth + 1) : null;
  if (!parent) return own;
  const c = Math.cos(parent.angle),
    s = Math.sin(parent.angle),
    x = own.x * parent.sx,
    y = own.y * parent.sy;
  return {
    x: parent.x + x * c - y * s,
    y: parent.y + x * s + y * c,
    angle: parent.angle + own.angle,
    sx: parent.sx * own.sx,
    sy: parent.sy * own.sy,
  };
}

function sizeOf(entity) {
  // half the size
  const look = looks.get(entity),
    at = place(entity);
  if (!look || !at) return [0, 0];
  const part = look.kind ? null : cut(look);
  const wide =
    look.kind === "circle"
      ? look.radius * 2
      : look.reach
        ? look.reach * 2
        : look.kind
          ? look.width
          : look.w || part?.w || 0;
  const high =
    look.kind === "circle"
      ? look.radius * 2
      : look.reach
        ? look.reach * 2
        : look.kind
          ? look.height
          : look.h || part?.h || 0;
  return [Math.abs(wide * at.sx) / 2, Math.abs(high * at.sy) / 2];
}

const toScreen = (x, y) => [
  (x - view.x) * view.scale + canvas.clientWidth / 2,
  (y - view.y) * view.scale + canvas.clientHeight / 2,
];
const toWorld = (x, y) => [
  (x - canvas.clientWidth / 2) / view.scale + view.x,
  (y - canvas.clientHeight / 2) / view.scale + view.y,
];
const snapped = (value) => (snaps && step ? Math.round(value / step) * step : Number(value.toFixed(2)));

// Returns the entities at a point, the last drawn first.
function hits(x, y) {
  const [wx, wy] = toWorld(x, y),
    near = REACH / view.scale,
    found = [];
  for (const entity of places.keys()) {
    const at = place(entity),
      [w, h] = sizeOf(entity),
      c = Math.cos(-at.angle),
      s = Math.sin(-at.angle);
    const dx = (wx - at.x) * c - (wy - at.y) * s,
      dy = (wx - at.x) * s + (wy - at.y) * c;
    if (Math.abs(dx) <= Math.max(w, near) && Math.abs(dy) <= Math.max(h, near))
      found.push([entity, looks.get(entity)?.layer ?? 0, w * h]);
  }
  return found.sort((a, b) => b[1] - a[1] || a[2] - b[2]).map(([entity]) => entity);
}

function boxed(a, b) {
  const [x1, y1] = toWorld(Math.min(a[0], b[0]), Math.min(a[1], b[1])),
    [x2, y2] = toWorld(Math.max(a[0], b[0]), Math.max(a[1], b[1]));
  return [...places.keys()].filter((entity) => {
    const at = place(entity),
      look = looks.get(entity);
    return at.x >= x1 && at.x <= x2 && at.y >= y1 && at.y <= y2 && !places.get(entity).parent && !(look?.layer < -5);
  });
}

// --- drawing

const byte = (part) => Math.round(Math.min(1, Math.max(0, part)) * 255);
const colour = (look) => (look.kind ? `rgb(${byte(look.r)} ${byte(look.g)} ${byte(look.b)})` : "#8fa3bf");

function outline(look) {
  if (look.kind === "circle") pen.arc(0, 0, look.radius, 0, 7);
  else if (look.shape) look.shape.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  else pen.rect(-look.width / 2, -look.height / 2, look.width, look.height);
  if (look.shape && look.kind === "polygon") pen.closePath();
}

function drawOne(entity) {
  const at = place(entity),
    look = looks.get(entity);
  if (!at) return;
  const [x, y] = toScreen(at.x, at.y);
  pen.save();
  pen.translate(x, y);
  if (look?.kind || look?.image) {
    pen.rotate(at.angle);
    pen.scale(view.scale * at.sx, view.scale * at.sy);
    pen.globalAlpha = look.visible === 0 ? 0.25 : 1;
    pen.strokeStyle = pen.fillStyle = colour(look);
    pen.lineWidth = 1.2 / (view.scale * Math.max(0.01, Math.abs(at.sx)));
    pen.beginPath();
    const part = look.kind ? null : cut(look);
    if (look.kind) {
      outline(look);
      look.filled && look.kind !== "line" ? pen.fill() : pen.stroke();
    } else if (part) {
      const w = look.w || part.w,
        h = look.h || part.h;
      pen.imageSmoothingEnabled = view.scale * at.sx < 2;
      pen.scale(look.flip ? -1 : 1, look.flip_y ? -1 : 1);
      pen.drawImage(look.picture, part.x, part.y, part.w, part.h, -w * part.px, -h * part.py, w, h);
    } else {
      pen.rect(-(look.w || 16) / 2, -(look.h || 16) / 2, look.w || 16, look.h || 16);
      pen.setLineDash([4 / view.scale, 4 / view.scale]);
      pen.stroke();
    }
  } else if (!tiles.has(entity)) {
    pen.strokeStyle = "#5d6b80";
    pen.beginPath();
    pen.moveTo(-3, 0);
    pen.lineTo(3, 0);
    pen.moveTo(0, -3);
    pen.lineTo(0, 3);
    pen.stroke();
  }
  pen.restore();
}

function drawGrid(width, height) {
  let by = step || 64;
  while (by * view.scale < 9) by *= 4;
  const [x1, y1] = toWorld(0, 0),
    [x2, y2] = toWorld(width, height);
  pen.lineWidth = 1;
  for (const [from, to, upright] of [
    [x1, x2, true],
    [y1, y2, false],
  ]) {
    for (let i = Math.ceil(from / by); i * by <= to; ++i) {
      const at = Math.round(upright ? toScreen(i * by, 0)[0] : toScreen(0, i * by)[1]) + 0.5;
      pen.strokeStyle = i === 0 ? "#4b5a74" : i % 8 === 0 ? "#ffffff1c" : "#ffffff0c";
      pen.beginPath();
      upright ? (pen.moveTo(at, 0), pen.lineTo(at, height)) : (pen.moveTo(0, at), pen.lineTo(width, at));
      pen.stroke();
    }
  }
}

// Returns the bounds of most visible entities for the initial view; ignores distant stars and marks without an image.
function fit(width, height) {
  const seen = [...places.keys()].filter((entity) => {
    const look = looks.get(entity);
    return (look?.kind || look?.image) && look.layer >= -5;
  });
  const all = (seen.length ? seen : [...places.keys()]).filter((entity) => place(entity));
  let bounds = ["x", "y"].map((axis, i) => {
    const cut = Math.floor(all.length * 0.01),
      edge = (sign) => all.map((entity) => place(entity)[axis] + sign * sizeOf(entity)[i]).sort((a, b) => a - b);
    return [edge(-1)[cut] ?? 0, edge(1)[all.length - 1 - cut] ?? (axis === "x" ? 1280 : 720)];
  });
  for (const entity of tiles.entities()) {
    const at = place(entity),
      [left, top, w, h] = tiles.bounds(entity);
    if (!at || at.angle) continue;
    [
      [0, at.x + left * at.sx, w * at.sx],
      [1, at.y + top * at.sy, h * at.sy],
    ].forEach(([axis, from, size]) => {
      bounds[axis] = [Math.min(bounds[axis][0], from), Math.max(bounds[axis][1], from + size)];
    });
  }
  if (typeof camera?.x === "number")
    bounds = [
      ["x", 640],
      ["y", 360],
    ].map(([axis, half], i) => [
      Math.min(bounds[i][0], camera[axis] - half / camera.zoom),
      Math.max(bounds[i][1], camera[axis] + half / camera.zoom),
    ]);
  view.fitted = all.length > 0 && (camera !== null || touched);
  [view.x, view.y] = bounds.map(([low, high]) => (low + high) / 2);
  const [w, h] = bounds.map(([low, high]) => Math.max(high - low, 160) * 1.12);
  view.scale = Math.min(width / w, height / h);
}

function frame(entity, bright) {
  const at = place(entity);
  if (!at) return;
  const [x, y] = toScreen(at.x, at.y),
    [w, h] = sizeOf(entity).map((half) => Math.max(half * view.scale, 6) + 4);
  pen.save();
  pen.translate(x, y);
  pen.rotate(at.angle);
  pen.strokeStyle = bright ? "#ffb454" : "#6ea2ff";
  pen.lineWidth = 1.5;
  pen.strokeRect(-w, -h, 2 * w, 2 * h);
  if (bright) {
    // its rotation
    pen.beginPath();
    pen.moveTo(0, -h);
    pen.lineTo(0, -h - HANDLE + 5);
    pen.stroke();
    pen.beginPath();
    pen.arc(0, -h - HANDLE, 5, 0, 7);
    pen.fillStyle = back;
    pen.fill();
    pen.stroke();
  }
  pen.restore();
}

// Returns the center of the window's view, in local coordinates.
function middleOf(at) {
  const dx = (typeof camera?.x === "number" ? camera.x : 640) - at.x,
    dy = (typeof camera?.y === "number" ? camera.y : 360) - at.y,
    c = Math.cos(-at.angle),
    s = Math.sin(-at.angle);
  return [(dx * c - dy * s) / (at.sx || 1), (dx * s + dy * c) / (at.sy || 1)];
}

function drawTiles(above) {
  for (const entity of tiles.entities()) {
    const at = place(entity);
    if (!at) continue;
    pen.save();
    pen.translate(...toScreen(at.x, at.y));
    pen.rotate(at.angle);
    pen.scale(view.scale * at.sx, view.scale * at.sy);
    tiles.draw(pen, entity, above, middleOf(at));
    if (above) tiles.drawShapes(pen, entity, view.scale * Math.abs(at.sx));
    pen.restore();
  }
}

function drawGhost() {
  if (!tool || !(mouse || document.activeElement === canvas)) return;
  const [wx, wy] = toWorld(...(mouse ?? middle())),
    x = snapped(wx),
    y = snapped(wy),
    [sx, sy] = toScreen(x, y);
  pen.strokeStyle = pen.fillStyle = "#ffb454";
  pen.setLineDash([3, 3]);
  pen.strokeRect(sx - 11, sy - 11, 22, 22);
  pen.setLineDash([]);
  pen.beginPath();
  pen.moveTo(sx - 15, sy);
  pen.lineTo(sx + 15, sy);
  pen.moveTo(sx, sy - 15);
  pen.lineTo(sx, sy + 15);
  pen.stroke();
  pen.font = "11px system-ui, sans-serif";
  pen.fillText(`${tool}  ${x}, ${y}`, sx + 16, sy - 8);
}

function draw() {
  asked = false;
  const ratio = devicePixelRatio || 1,
    width = canvas.clientWidth,
    height = canvas.clientHeight;
  if (width === 0) return;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    view.fitted &&= touched;
  }
  pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = back;
  pen.fillRect(0, 0, width, height);
  if (!view.fitted) fit(width, height);
  drawTiles(false);
  drawGrid(width, height);
  [...places.keys()].sort((a, b) => (looks.get(a)?.layer ?? 0) - (looks.get(b)?.layer ?? 0)).forEach(drawOne);
  drawTiles(true);
  ghosts.draw(pen, { scale: view.scale, toScreen });
  for (const [entity, look] of looks)
    if (look.scene === sceneOf && places.has(entity) && !chosen.has(entity)) {
      const at = place(entity),
        [x, y] = toScreen(at.x, at.y);
      pen.fillStyle = "#57c27d";
      pen.beginPath();
      pen.arc(x, y, 2.5, 0, 7);
      pen.fill();
    }
  chosen.forEach((entity) => frame(entity, entity === world.picked));
  if (drag?.box && mouse) {
    pen.strokeStyle = "#6ea2ff";
    pen.fillStyle = "#6ea2ff22";
    const box = [drag.at[0], drag.at[1], mouse[0] - drag.at[0], mouse[1] - drag.at[1]];
    pen.fillRect(...box);
    pen.strokeRect(...box);
  }
  drawGhost();
}
function again() {
  if (!asked && canvas?.isConnected) {
    asked = true;
    requestAnimationFrame(draw);
  }
}

// --- what is heard

function hearPlaces(table) {
  if (!table) return;
  places.clear();
  for (const [entity, x, y, angle, sx, sy, parent] of table.rows) places.set(entity, { x, y, angle, sx, sy, parent });
  if (drag?.moved)
    for (const [entity, x, y] of drag.sent ?? [])
      if (places.has(entity)) Object.assign(places.get(entity), drag.turn ? { angle: drag.sent[0][3] } : { x, y }); // the drag is ahead of the game
  for (const entity of chosen) if (!places.has(entity)) chosen.delete(entity);
  again();
}

function picture(name) {
  if (!name) return null;
  if (!pictures.has(name)) {
    const image = new Image();
    image.onload = again;
    image.src = `assets/${encodeURI(name)}`;
    pictures.set(name, image);
  }
  return pictures.get(name);
}

function hearLooks(table) {
  if (!table) return;
  const known = looks.size > 0;
  looks.clear();
  let inScene = 0;
  for (const [
    entity,
    assemblage,
    called,
    kind,
    radius,
    width,
    height,
    points,
    filled,
    r,
    g,
    b,
    image,
    w,
    h,
    number,
    count,
    flip,
    flip_y,
    ,
    ,
    ,
    scene,
    visible,
    layer,
  ] of table.rows) {
    const numbers = kind && kind !== "circle" && points ? (points.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number) : [];
    const shape =
      numbers.length >= 4
        ? numbers.reduce((all, n, i) => (i % 2 ? all[all.length - 1].push(n) : all.push([n]), all), [])
        : null;
    const reach = shape ? Math.max(...shape.flat().map(Math.abs)) : 0;
    looks.set(entity, {
      assemblage,
      called,
      kind,
      radius,
      width,
      height,
      shape,
      reach,
      filled,
      r,
      g,
      b,
      image,
      w,
      h,
      number,
      count,
      flip,
      flip_y,
      scene,
      visible,
      layer,
      picture: picture(image),
      again,
    });
    inScene += scene === sceneOf;
  }
  if (!touched && !known) view.fitted = false;
  $("scene-count").textContent = inScene ? `${inScene} in scene` : "";
  again();
}

function hearCamera(table) {
  const row = table?.rows[0];
  camera ??= {};
  if (!row) return;
  back = `rgb(${byte(row[0])} ${byte(row[1])} ${byte(row[2])})`;
  camera = { zoom: row[3] || 1, x: row[4], y: row[5] };
  again();
}

// --- the mouse

const at = (event) => [event.offsetX, event.offsetY];

function choose(entities, more) {
  if (!more) chosen.clear();
  entities.forEach((entity) => (more && chosen.has(entity) ? chosen.delete(entity) : chosen.add(entity)));
  if (entities.length) pick(entities[0]);
  drawChosen();
  again();
}

async function put(x, y) {
  try {
    const { result } = await ask("spawn", { assemblage: tool, x: snapped(x), y: snapped(y), scene: sceneOf });
    choose([Number(result)]);
  } catch (error) {
    complain(error);
  }
}

// The dot above the selection's frame rotates it.
function isHandle(x, y, reach) {
  const where = world.picked && chosen.has(world.picked) && place(world.picked);
  if (!where) return false;
  const [sx, sy] = toScreen(where.x, where.y),
    high = Math.max(sizeOf(world.picked)[1] * view.scale, 6) + 4 + HANDLE;
  return Math.hypot(x - sx - Math.sin(where.angle) * high, y - sy + Math.cos(where.angle) * high) <= reach;
}

function beginTurn() {
  const own = places.get(world.picked),
    where = place(world.picked);
  drag = { turn: true, at: mouse, own: { ...own }, where, above: where.angle - own.angle };
}

function turnTo(x, y) {
  const [sx, sy] = toScreen(drag.where.x, drag.where.y),
    raw = Math.atan2(y - sy, x - sx) + Math.PI / 2;
  const angle = Number(((snaps ? Math.round(raw / TURN) * TURN : raw) - drag.above).toFixed(4));
  sendTurn(angle, drag.moved === true);
  Object.assign(drag, { moved: true, sent: next.places });
}

function sendTurn(angle, goes_on) {
  const own = places.get(world.picked);
  if (!own) return;
  own.angle = Number(Math.atan2(Math.sin(angle), Math.cos(angle)).toFixed(4));
  next = { places: [[world.picked, own.x, own.y, own.angle]], goes_on };
  sendMoves();
  again();
}

function nudge(dx, dy) {
  const by = step || 1,
    moved = [...chosen]
      .filter((entity) => places.has(entity))
      .map((entity) => {
        const own = places.get(entity),
          above = own.parent && place(own.parent),
          [lx, ly] = inTerms(above, dx * by, dy * by);
        Object.assign(own, { x: Number((own.x + lx).toFixed(3)), y: Number((own.y + ly).toFixed(3)) });
        return [entity, own.x, own.y];
      });
  if (moved.length === 0) return;
  next = { places: moved };
  sendMoves();
  again();
}

// Two fingers pan and zoom the view.
const fingers = new Map();
function pinch(event) {
  const before = [...fingers.values()];
  fingers.set(event.pointerId, at(event));
  const after = [...fingers.values()];
  if (after.length !== 2) return false;
  const middle = (two) => [(two[0][0] + two[1][0]) / 2, (two[0][1] + two[1][1]) / 2],
    wide = (two) => Math.hypot(two[0][0] - two[1][0], two[0][1] - two[1][1]) || 1;
  const [mx, my] = middle(before),
    [wx, wy] = toWorld(mx, my);
  zoom(middle(after), wide(after) / wide(before), [wx, wy]);
  return true;
}

function zoom([x, y], by, [wx, wy] = toWorld(x, y)) {
  view.scale = Math.min(40, Math.max(0.01, view.scale * by));
  const [nx, ny] = toWorld(x, y);
  view.x += wx - nx;
  view.y += wy - ny;
  again();
}

function down(event) {
  touched = true;
  mouse = at(event);
  canvas.focus();
  if (event.pointerType === "touch") {
    fingers.set(event.pointerId, mouse);
    canvas.setPointerCapture(event.pointerId);
    if (fingers.size > 1) {
      drag = null;
      return;
    }
  }
  if (event.button !== 0) {
    drag = { pan: true, at: mouse, view: { ...view } };
    canvas.setPointerCapture(event.pointerId);
    return;
  }
  if (tool) {
    put(...toWorld(...mouse));
    return;
  }
  if (isHandle(...mouse, event.pointerType === "touch" ? 20 : 9)) {
    beginTurn();
    canvas.setPointerCapture(event.pointerId);
    return;
  }
  const stack = hits(...mouse),
    top = stack.find((entity) => chosen.has(entity));
  canvas.setPointerCapture(event.pointerId);
  if (stack.length === 0) {
    drag = { box: true, at: mouse, more: event.shiftKey };
    return;
  }
  if (event.shiftKey) choose([stack[0]], true);
  else if (!top) choose([stack[0]]);
  drag = {
    at: mouse,
    stack,
    again: top,
    from: [...chosen].map((entity) => [
      entity,
      { ...places.get(entity) },
      places.get(entity).parent && place(places.get(entity).parent),
    ]),
  };
}

// Converts a movement to the coordinates of the entity's parent.
function inTerms(parent, dx, dy) {
  if (!parent) return [dx, dy];
  const c = Math.cos(-parent.angle),
    s = Math.sin(-parent.angle);
  return [(dx * c - dy * s) / (parent.sx || 1), (dx * s + dy * c) / (parent.sy || 1)];
}

let sending = false,
  next = null;
async function sendMoves() {
  // one request at a time, the latest wins
  if (sending) return;
  for (sending = true; next;) {
    const message = next;
    next = null;
    try {
      await ask("move", message);
    } catch (error) {
      complain(error);
      break;
    }
  }
  sending = false;
}

function moveTo(x, y) {
  let dx = (x - drag.at[0]) / view.scale,
    dy = (y - drag.at[1]) / view.scale;
  const [, first, parent] = drag.from[0];
  if (snaps && step && !parent) {
    dx = snapped(first.x + dx) - first.x;
    dy = snapped(first.y + dy) - first.y;
  }
  const sent = drag.from.map(([entity, from, above]) => {
    const [lx, ly] = inTerms(above, dx, dy);
    return [entity, Number((from.x + lx).toFixed(3)), Number((from.y + ly).toFixed(3))];
  });
  sent.forEach(([entity, nx, ny]) => places.has(entity) && Object.assign(places.get(entity), { x: nx, y: ny }));
  next = { places: sent, goes_on: drag.moved === true };
  Object.assign(drag, { moved: true, sent });
  sendMoves();
  again();
}

function move(event) {
  if (fingers.has(event.pointerId) && pinch(event)) return;
  mouse = at(event);
  if (drag?.turn) turnTo(...mouse);
  else if (drag?.pan) {
    view.x = drag.view.x - (mouse[0] - drag.at[0]) / view.scale;
    view.y = drag.view.y - (mouse[1] - drag.at[1]) / view.scale;
  } else if (drag?.from?.length && (drag.moved || Math.hypot(mouse[0] - drag.at[0], mouse[1] - drag.at[1]) > 3))
    moveTo(...mouse);
  const [x, y] = toWorld(...mouse);
  $("map-at").textContent = `${x.toFixed(0)}, ${y.toFixed(0)}`;
  again();
}

function up(event) {
  if (fingers.delete(event.pointerId) && fingers.size > 0) {
    drag = null;
    return;
  }
  if (drag?.box)
    choose(Math.hypot(mouse[0] - drag.at[0], mouse[1] - drag.at[1]) > 3 ? boxed(drag.at, mouse) : [], drag.more);
  else if (drag?.stack && !drag.moved && drag.again)
    choose([drag.stack[(drag.stack.indexOf(world.picked) + 1) % drag.stack.length]]); // the entity below
  drag = null;
  again();
}

function wheel(event) {
  event.preventDefault();
  touched = true;
  zoom(at(event), Math.exp(-event.deltaY * 0.0015));
}

async function destroyChosen() {
  const entities = [...chosen];
  if (entities.length === 0) return;
  try {
    await ask("destroy", { entities });
    tell(`${entities.length} destroyed: Ctrl+Z restores them`);
    chosen.clear();
    drawChosen();
  } catch (error) {
    complain(error);
  }
}

const middle = () => [canvas.clientWidth / 2, canvas.clientHeight / 2];
function pan(dx, dy) {
  touched = true;
  view.x += (dx * canvas.clientWidth) / 8 / view.scale;
  view.y += (dy * canvas.clientHeight) / 8 / view.scale;
  again();
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function keys(event) {
  if (event.key === "Escape") {
    setTool(null);
    choose([]);
  } else if (event.key === "Delete" || event.key === "Backspace") destroyChosen();
  else if (event.key === "f") {
    const where = place(world.picked);
    if (where) {
      view.x = where.x;
      view.y = where.y;
    }
    again();
  } else if (event.key === "a" && !event.ctrlKey) {
    view.fitted = false;
    again();
  } else if (event.key === "+" || event.key === "-") zoom(middle(), event.key === "+" ? 1.25 : 0.8);
  else if (/^r$/i.test(event.key) && !event.ctrlKey && places.has(world.picked))
    sendTurn(places.get(world.picked).angle + (event.shiftKey ? -TURN : TURN));
  else if (event.shiftKey && ARROWS[event.key]) nudge(...ARROWS[event.key]);
  else if (event.altKey && ARROWS[event.key]) pan(...ARROWS[event.key]);
  else if (event.key === "Enter" && tool) put(...toWorld(...(mouse ?? middle())));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// --- the palette and the bar

function setTool(word) {
  tool = word;
  document.querySelectorAll("#map-palette .item").forEach((x) => x.classList.toggle("chosen", x.dataset.name === word));
  canvas.style.cursor = word ? "copy" : "crosshair";
  again();
}

function drawPalette() {
  const word = $("palette-filter").value.toLowerCase();
  refill(
    $("map-palette"),
    ...world.schema.assemblages
      .filter((x) => x.name.includes(word) && !x.name.includes("/"))
      .map((x) => {
        const item = make(
          `button.item${x.name === tool ? ".chosen" : ""}`,
          { title: x.doc ?? `place ${x.name}`, onclick: () => setTool(tool === x.name ? null : x.name) },
          make("span", null, x.name),
          x.alive > 0 && make("span.dim", null, String(x.alive)),
        );
        item.dataset.name = x.name;
        return item;
      }),
  );
}
function drawChosen() {
  $("map-chosen").textContent = chosen.size > 1 ? `${chosen.size} chosen` : "";
}

async function save(replace) {
  const all = $("scene-all").checked;
  try {
    const { file, entities } = await ask("save_scene", { scene: sceneOf, replace, all });
    tell(`${file}: ${entities} entities`);
  } catch (error) {
    if (!replace && /already exists: set/.test(error.message)) {
      if (confirm(`scenes/${sceneOf}.json already exists. Overwrite it?`)) save(true);
    } else complain(error);
  }
}

function bar() {
  const grid = make(
    "select",
    {
      title: "grid",
      ariaLabel: "grid",
      onchange: () => {
        step = Number(grid.value);
        localStorage.setItem("grid", step);
        again();
      },
    },
    [0, 4, 8, 16, 32, 64, 100].map((x) => make("option", { value: x }, x ? `grid ${x}` : "no grid")),
  );
  grid.value = String(step);
  const snap = make("input", {
    type: "checkbox",
    checked: snaps,
    onchange: () => {
      snaps = snap.checked;
      localStorage.setItem("snap", snaps ? "1" : "0");
    },
  });
  const scene = make("input", {
    id: "scene-name",
    value: sceneOf,
    spellcheck: false,
    ariaLabel: "scene",
    title: "scene to edit: scenes/NAME.json",
    oninput: () => {
      sceneOf = scene.value.trim();
      localStorage.setItem("scene", sceneOf);
      again();
    },
  });
  return make(
    "div.bar",
    null,
    grid,
    make("label.check", { title: "onto the grid, and in steps of 15°" }, snap, " snap"),
    make(
      "button",
      {
        id: "map-all",
        title: "fit all (A)",
        onclick: () => {
          view.fitted = false;
          again();
        },
      },
      "Fit",
    ),
    make("span.dim", { id: "map-chosen" }),
    make("span.hint", { id: "map-hint" }),
    make("label.dim", { htmlFor: "scene-name" }, "scene"),
    scene,
    make("span.dim", { id: "scene-count" }),
    make(
      "label.check",
      { title: "save all entities, not only those in this scene" },
      make("input", { type: "checkbox", id: "scene-all" }),
      " all",
    ),
    make("button.main", { id: "scene-save", onclick: () => save(false) }, "Save"),
  );
}

function hint() {
  $("map-hint").textContent = world.state.held || world.state.paused ? "" : "the game runs: Space holds it";
}

export function panel() {
  canvas = make("canvas", {
    tabIndex: 0,
    onpointerdown: down,
    onpointermove: move,
    onpointerup: up,
    onpointercancel: up,
    onkeydown: keys,
    onfocus: again,
    onblur: again,
    oncontextmenu: (event) => event.preventDefault(),
    onpointerleave: () => {
      mouse = null;
      again();
    },
    ariaLabel: "map of the world",
    title: "",
  });
  canvas.addEventListener("wheel", wheel, { passive: false });
  new ResizeObserver(again).observe(canvas);
  changes.addEventListener("learned", () => {
    if ($("map-palette")) drawPalette();
  });
  changes.addEventListener("picked", () => {
    if (world.picked && !chosen.has(world.picked)) {
      chosen.clear();
      chosen.add(world.picked);
    }
    again();
  });
  changes.addEventListener("state", () => {
    if ($("map-hint")) hint();
    ghosts.look(ends.length > 0, again);
  });
  events.addEventListener("changed", tiles.again);
  return make(
    "div.panel",
    null,
    bar(),
    make(
      "div.map",
      null,
      make(
        "div.palette",
        null,
        make("input", {
          id: "palette-filter",
          type: "search",
          placeholder: "assemblages",
          ariaLabel: "search assemblages",
          spellcheck: false,
          oninput: drawPalette,
        }),
        make("div.scroll", { id: "map-palette" }),
      ),
      canvas,
    ),
    make(
      "footer.dim.keys",
      null,
      make("span.mono", { id: "map-at" }),
      "click: select; again: next below · drag: move or box-select · dot: rotate · Shift: add · right button, two fingers, Alt+arrows: pan · wheel, + −: zoom · A: fit all · F: fit selection · Shift+arrows: move · R: rotate · Enter: place · Del: destroy",
    ),
  );
}
export const scale = () => (view.fitted ? view.scale : 0); // for tests
export function shown() {
  if (ends.length === 0)
    ends = [
      follow({ what: "sql", text: PLACES, hz: 20, limit: MAX }, hearPlaces),
      follow({ what: "sql", text: LOOKS, hz: 3, limit: MAX }, hearLooks),
      follow({ what: "sql", text: CAMERA, hz: 1, limit: 1 }, hearCamera),
    ];
  looking ??= setInterval(
    () =>
      tiles.look(() => {
        view.fitted &&= touched;
        again();
      }),
    1000,
  );
  tiles.look(() => {
    view.fitted &&= touched;
    again();
  });
  ghosts.look(true, again);
  drawPalette();
  hint();
  again();
}
export function hidden() {
  ends.forEach((end) => end());
  ends = [];
  clearInterval(looking);
  looking = undefined;
  ghosts.look(false, again);
}
