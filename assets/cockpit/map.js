// Level editor: a map of the world, on which the user selects, moves and destroys entities, and places assemblages from
// a palette. Every change is a request of the protocol, so it is recorded and can be undone. y points down, as in the
// game.
import { request, events, follow } from "./wire.js";
import { world, changes, isSuggested, pick, suggest } from "./world.js";
import { $, make, updateChildren, showError, notify, count } from "./kit.js";
import * as tiles from "./map_tiles.js";
import * as ghosts from "./map_ghosts.js";
import { corners, extent, paint, picture, reachOf, rgb, thumbnail } from "./map_looks.js";

const MAX = 4000,
  REACH = 7,
  // pixels: minimum half size of an entity's hit area, and distance of the rotation handle from the selection's frame
  HANDLE = 22;
const ROTATION_STEP = Math.PI / 12; // radians
const PLACES = `SELECT entity, x, y, angle, scale_x, scale_y, parent FROM transform LIMIT ${MAX}`;
const LOOKS = `SELECT t.entity, e.assemblage, e.name, s.kind, s.radius, s.width, s.height, s.points, s.filled,
  s.colour_x, s.colour_y, s.colour_z, p.image, p.width AS w, p.height AS h, p.frame, p.frames, p.flip, p.flip_y,
  p.tint_x, p.tint_y, p.tint_z, i.name AS scene, s.visible, coalesce(s.layer, p.layer, 0) AS layer
  FROM transform t JOIN entities e ON e.entity = t.entity LEFT JOIN shape s ON s.entity = t.entity
  LEFT JOIN sprite p ON p.entity = t.entity LEFT JOIN in_scene i ON i.entity = t.entity LIMIT ${MAX}`;
const SCENES = 'SELECT current FROM "shoal.scene"'; // names of the open scenes, one per line
const CAMERA =
  "SELECT c.background_x, c.background_y, c.background_z, c.zoom, t.x, t.y FROM camera c " +
  "LEFT JOIN transform t ON t.entity = c.entity WHERE c.enabled LIMIT 1";

const places = new Map(), // row of `transform`, by entity
  looks = new Map(), // appearance, by entity
  selected = new Set();
const view = { x: 640, y: 360, scale: 0, fitted: false };
let camera = null; // view of the game's window: { zoom, x, y }; null until it is known
let tilesTimer,
  userMoved = false; // the user has moved the view, which is no longer fitted automatically
let inScene = 0; // number of entities of the scene to edit
let ends = [],
  canvas,
  ctx,
  background = "#0d1017",
  tool = null,
  drag = null,
  mouse = null,
  sceneOf = "level1", // the scene to edit; initially the first open one
  sceneChosen = false, // the user has entered the name of the scene
  openScenes = [];
let step = Number(localStorage.getItem("grid") ?? 16),
  snapEnabled = localStorage.getItem("snap") !== "0",
  drawPending = false;

// --- positions and hit testing

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

// Returns half the width and half the height of an entity in world units.
function sizeOf(entity) {
  const look = looks.get(entity),
    at = place(entity);
  if (!look || !at) return [0, 0];
  const [wide, high] = extent(look);
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
const snapped = (value) => (snapEnabled && step ? Math.round(value / step) * step : Number(value.toFixed(2)));

// Returns the entities at a point of the screen, topmost first.
function entitiesAt(x, y) {
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

function entitiesInBox(a, b) {
  const [x1, y1] = toWorld(Math.min(a[0], b[0]), Math.min(a[1], b[1])),
    [x2, y2] = toWorld(Math.max(a[0], b[0]), Math.max(a[1], b[1]));
  return [...places.keys()].filter((entity) => {
    const at = place(entity),
      look = looks.get(entity);
    return at.x >= x1 && at.x <= x2 && at.y >= y1 && at.y <= y2 && !places.get(entity).parent && !(look?.layer < -5);
  });
}

// --- drawing

function drawOne(entity) {
  const at = place(entity),
    look = looks.get(entity);
  if (!at) return;
  const [x, y] = toScreen(at.x, at.y);
  ctx.save();
  ctx.translate(x, y);
  if (look?.kind || look?.image) {
    ctx.rotate(at.angle);
    ctx.scale(view.scale * at.sx, view.scale * at.sy);
    ctx.globalAlpha = look.visible === 0 ? 0.25 : 1;
    paint(ctx, look, view.scale * Math.max(0.01, Math.abs(at.sx)));
  } else if (!tiles.has(entity)) {
    ctx.strokeStyle = "#5d6b80";
    ctx.beginPath();
    ctx.moveTo(-3, 0);
    ctx.lineTo(3, 0);
    ctx.moveTo(0, -3);
    ctx.lineTo(0, 3);
    ctx.stroke();
  }
  ctx.restore();
}

function drawGrid(width, height) {
  let by = step || 64;
  while (by * view.scale < 9) by *= 4;
  const [x1, y1] = toWorld(0, 0),
    [x2, y2] = toWorld(width, height);
  ctx.lineWidth = 1;
  for (const [from, to, upright] of [
    [x1, x2, true],
    [y1, y2, false],
  ]) {
    for (let i = Math.ceil(from / by); i * by <= to; ++i) {
      const at = Math.round(upright ? toScreen(i * by, 0)[0] : toScreen(0, i * by)[1]) + 0.5;
      ctx.strokeStyle = i === 0 ? "#4b5a74" : i % 8 === 0 ? "#ffffff1c" : "#ffffff0c";
      ctx.beginPath();
      upright ? (ctx.moveTo(at, 0), ctx.lineTo(at, height)) : (ctx.moveTo(0, at), ctx.lineTo(width, at));
      ctx.stroke();
    }
  }
}

// Fits the view to the visible entities, the tilemaps and the view of the game's window. Ignores entities without an
// image, far background layers, and 1 % of outliers on each side.
function fitView(width, height) {
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
      ["x", world.game.width / 2],
      ["y", world.game.height / 2],
    ].map(([axis, half], i) => [
      Math.min(bounds[i][0], camera[axis] - half / camera.zoom),
      Math.max(bounds[i][1], camera[axis] + half / camera.zoom),
    ]);
  view.fitted = all.length > 0 && (camera !== null || userMoved);
  [view.x, view.y] = bounds.map(([low, high]) => (low + high) / 2);
  const [w, h] = bounds.map(([low, high]) => Math.max(high - low, 160) * 1.06);
  view.scale = Math.min(width / w, height / h);
}

function drawFrame(entity, bright) {
  const at = place(entity);
  if (!at) return;
  const [x, y] = toScreen(at.x, at.y),
    [w, h] = sizeOf(entity).map((half) => Math.max(half * view.scale, 6) + 4);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(at.angle);
  ctx.strokeStyle = bright ? "#ffb454" : "#6ea2ff";
  ctx.lineWidth = 1.5;
  ctx.strokeRect(-w, -h, 2 * w, 2 * h);
  if (bright) {
    // rotation handle
    ctx.beginPath();
    ctx.moveTo(0, -h);
    ctx.lineTo(0, -h - HANDLE + 5);
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(0, -h - HANDLE, 5, 0, 7);
    ctx.fillStyle = background;
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}

// Returns the centre of the window's view in the coordinates of a pose.
function cameraCentre(at) {
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
    ctx.save();
    ctx.translate(...toScreen(at.x, at.y));
    ctx.rotate(at.angle);
    ctx.scale(view.scale * at.sx, view.scale * at.sy);
    tiles.draw(ctx, entity, above, cameraCentre(at));
    if (above) tiles.drawShapes(ctx, entity, view.scale * Math.abs(at.sx));
    ctx.restore();
  }
}

function drawToolPreview() {
  if (!tool || !(mouse || document.activeElement === canvas)) return;
  const [wx, wy] = toWorld(...(mouse ?? viewCentre())),
    x = snapped(wx),
    y = snapped(wy),
    [sx, sy] = toScreen(x, y);
  ctx.strokeStyle = ctx.fillStyle = "#ffb454";
  ctx.setLineDash([3, 3]);
  ctx.strokeRect(sx - 11, sy - 11, 22, 22);
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(sx - 15, sy);
  ctx.lineTo(sx + 15, sy);
  ctx.moveTo(sx, sy - 15);
  ctx.lineTo(sx, sy + 15);
  ctx.stroke();
  ctx.font = "11px system-ui, sans-serif";
  ctx.fillText(`${tool}  ${x}, ${y}`, sx + 16, sy - 8);
}

function draw() {
  drawPending = false;
  const ratio = devicePixelRatio || 1,
    width = canvas.clientWidth,
    height = canvas.clientHeight;
  if (width === 0) return;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    view.fitted &&= userMoved;
  }
  ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = background;
  ctx.fillRect(0, 0, width, height);
  if (!view.fitted) fitView(width, height);
  drawTiles(false);
  drawGrid(width, height);
  [...places.keys()].sort((a, b) => (looks.get(a)?.layer ?? 0) - (looks.get(b)?.layer ?? 0)).forEach(drawOne);
  drawTiles(true);
  ghosts.draw(ctx, { scale: view.scale, toScreen });
  for (const [entity, look] of looks)
    if (look.scene === sceneOf && places.has(entity) && !selected.has(entity)) {
      const at = place(entity),
        [x, y] = toScreen(at.x, at.y);
      ctx.fillStyle = "#57c27d";
      ctx.beginPath();
      ctx.arc(x, y, 2.5, 0, 7);
      ctx.fill();
    }
  selected.forEach((entity) => drawFrame(entity, entity === world.picked));
  if (drag?.box && mouse) {
    ctx.strokeStyle = "#6ea2ff";
    ctx.fillStyle = "#6ea2ff22";
    const box = [drag.at[0], drag.at[1], mouse[0] - drag.at[0], mouse[1] - drag.at[1]];
    ctx.fillRect(...box);
    ctx.strokeRect(...box);
  }
  drawToolPreview();
}
function requestDraw() {
  if (!drawPending && canvas?.isConnected) {
    drawPending = true;
    requestAnimationFrame(draw);
  }
}

// --- subscribed data

function updatePlaces(table) {
  if (!table) return;
  places.clear();
  for (const [entity, x, y, angle, sx, sy, parent] of table.rows) places.set(entity, { x, y, angle, sx, sy, parent });
  if (drag?.moved)
    for (const [entity, x, y] of drag.sent ?? [])
      // keeps dragged positions until the game has applied them
      if (places.has(entity)) Object.assign(places.get(entity), drag.rotates ? { angle: drag.sent[0][3] } : { x, y });
  for (const entity of selected) if (!places.has(entity)) selected.delete(entity);
  if (firstPlaces.size === 0) {
    for (const [entity, { x, y }] of places) firstPlaces.set(entity, { x, y });
    suggestTimer ??= setTimeout(suggestEntity, SUGGEST_MS);
  } else if (suggests && (!world.picked || (isSuggested() && !places.has(world.picked)))) suggestEntity();
  requestDraw();
}

function updateLooks(table) {
  if (!table) return;
  const known = looks.size > 0;
  looks.clear();
  inScene = 0;
  for (const [
    entity,
    assemblage,
    label,
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
    const shape = corners(kind, points);
    looks.set(entity, {
      assemblage,
      label,
      kind,
      radius,
      width,
      height,
      shape,
      reach: reachOf(shape),
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
      picture: picture(image, requestDraw),
      requestDraw,
    });
    inScene += scene === sceneOf;
  }
  if (!userMoved && !known) view.fitted = false;
  updateSceneCount();
  requestDraw();
}

function updateSceneCount() {
  const other = openScenes.length && !openScenes.includes(sceneOf);
  $("scene-count").textContent = inScene
    ? `${inScene} in scene`
    : other
      ? `not open; open scenes: ${openScenes.join(", ")}`
      : "";
}

function updateScenes(table) {
  openScenes = (table?.rows[0]?.[0] ?? "").split("\n").filter(Boolean);
  if (!sceneChosen && openScenes.length) $("scene-name").value = sceneOf = openScenes[0];
  updateSceneCount();
}

function updateCamera(table) {
  const row = table?.rows[0];
  camera ??= {};
  if (!row) return;
  background = rgb(row[0], row[1], row[2]);
  camera = { zoom: row[3] || 1, x: row[4], y: row[5] };
  requestDraw();
}

// --- the entity that the page shows first

const firstPlaces = new Map(); // positions in the first answer, to find out which entities move
let suggestTimer,
  suggests = false; // the time for a first suggestion has come
const SUGGEST_MS = 1200;

// Suggests a visible entity in the window's view: preferably one that moves, has few siblings of its assemblage, and is
// large.
function suggestEntity() {
  suggests = true;
  if (world.picked && !isSuggested()) return;
  const siblings = new Map();
  for (const { assemblage } of looks.values()) siblings.set(assemblage, (siblings.get(assemblage) ?? 0) + 1);
  const visible = [...places.keys()].filter((entity) => {
    const look = looks.get(entity),
      [x, y] = toScreen(place(entity)?.x, place(entity)?.y);
    return (
      (look?.kind || look?.image) &&
      look.layer >= -5 &&
      look.visible !== 0 &&
      !places.get(entity).parent &&
      x > 0 &&
      y > 0 &&
      x < canvas.clientWidth &&
      y < canvas.clientHeight
    );
  });
  const score = (entity) => {
    const from = firstPlaces.get(entity) ?? places.get(entity),
      to = places.get(entity);
    return [
      Number(from.x !== to.x || from.y !== to.y),
      -siblings.get(looks.get(entity).assemblage),
      Math.min(...sizeOf(entity)),
    ];
  };
  const compare = (a, b) => a.reduce((result, value, i) => result || b[i] - value, 0);
  const [best] = visible.map((entity) => [entity, score(entity)]).sort((a, b) => compare(a[1], b[1]) || a[0] - b[0]);
  if (best) suggest(best[0]);
}

// --- pointer and keyboard

const at = (event) => [event.offsetX, event.offsetY];

function select(entities, more) {
  if (!more) selected.clear();
  entities.forEach((entity) => (more && selected.has(entity) ? selected.delete(entity) : selected.add(entity)));
  if (entities.length) pick(entities[0]);
  drawSelectedCount();
  requestDraw();
}

async function spawnAt(x, y) {
  try {
    const { result } = await request("spawn", { assemblage: tool, x: snapped(x), y: snapped(y), scene: sceneOf });
    select([Number(result)]);
  } catch (error) {
    showError(error);
  }
}

// Returns whether the point is on the rotation handle, the dot above the selection's frame.
function isHandle(x, y, reach) {
  const where = world.picked && selected.has(world.picked) && place(world.picked);
  if (!where) return false;
  const [sx, sy] = toScreen(where.x, where.y),
    high = Math.max(sizeOf(world.picked)[1] * view.scale, 6) + 4 + HANDLE;
  return Math.hypot(x - sx - Math.sin(where.angle) * high, y - sy + Math.cos(where.angle) * high) <= reach;
}

function beginRotation() {
  const own = places.get(world.picked),
    where = place(world.picked);
  drag = { rotates: true, at: mouse, own: { ...own }, where, above: where.angle - own.angle };
}

function rotateTo(x, y) {
  const [sx, sy] = toScreen(drag.where.x, drag.where.y),
    raw = Math.atan2(y - sy, x - sx) + Math.PI / 2;
  const angle = Number(((snapEnabled ? Math.round(raw / ROTATION_STEP) * ROTATION_STEP : raw) - drag.above).toFixed(4));
  sendRotation(angle, drag.moved === true);
  Object.assign(drag, { moved: true, sent: next.places });
}

function sendRotation(angle, goes_on) {
  const own = places.get(world.picked);
  if (!own) return;
  own.angle = Number(Math.atan2(Math.sin(angle), Math.cos(angle)).toFixed(4));
  next = { places: [[world.picked, own.x, own.y, own.angle]], goes_on };
  sendMoves();
  requestDraw();
}

function nudge(dx, dy) {
  const by = step || 1,
    moved = [...selected]
      .filter((entity) => places.has(entity))
      .map((entity) => {
        const own = places.get(entity),
          above = own.parent && place(own.parent),
          [lx, ly] = toParent(above, dx * by, dy * by);
        Object.assign(own, { x: Number((own.x + lx).toFixed(3)), y: Number((own.y + ly).toFixed(3)) });
        return [entity, own.x, own.y];
      });
  if (moved.length === 0) return;
  next = { places: moved };
  sendMoves();
  requestDraw();
}

// Pans and zooms the view while two fingers touch it. Returns whether two fingers touch it.
const fingers = new Map();
function pinch(event) {
  const before = [...fingers.values()];
  fingers.set(event.pointerId, at(event));
  const after = [...fingers.values()];
  if (after.length !== 2) return false;
  const centre = (two) => [(two[0][0] + two[1][0]) / 2, (two[0][1] + two[1][1]) / 2],
    wide = (two) => Math.hypot(two[0][0] - two[1][0], two[0][1] - two[1][1]) || 1;
  const [mx, my] = centre(before),
    [wx, wy] = toWorld(mx, my);
  zoom(centre(after), wide(after) / wide(before), [wx, wy]);
  return true;
}

function zoom([x, y], by, [wx, wy] = toWorld(x, y)) {
  view.scale = Math.min(40, Math.max(0.01, view.scale * by));
  const [nx, ny] = toWorld(x, y);
  view.x += wx - nx;
  view.y += wy - ny;
  requestDraw();
}

function pointerDown(event) {
  userMoved = true;
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
    spawnAt(...toWorld(...mouse));
    return;
  }
  if (isHandle(...mouse, event.pointerType === "touch" ? 20 : 9)) {
    beginRotation();
    canvas.setPointerCapture(event.pointerId);
    return;
  }
  const stack = entitiesAt(...mouse),
    top = stack.find((entity) => selected.has(entity));
  canvas.setPointerCapture(event.pointerId);
  if (stack.length === 0) {
    drag = { box: true, at: mouse, more: event.shiftKey };
    return;
  }
  if (event.shiftKey) select([stack[0]], true);
  else if (!top) select([stack[0]]);
  drag = {
    at: mouse,
    stack,
    reclicked: top,
    first: { ...place([...selected][0]) },
    from: [...selected].map((entity) => [
      entity,
      { ...places.get(entity) },
      places.get(entity).parent && place(places.get(entity).parent),
    ]),
  };
}

// Converts a movement from world coordinates to the coordinates of a parent (null: no parent).
function toParent(parent, dx, dy) {
  if (!parent) return [dx, dy];
  const c = Math.cos(-parent.angle),
    s = Math.sin(-parent.angle);
  return [(dx * c - dy * s) / (parent.sx || 1), (dx * s + dy * c) / (parent.sy || 1)];
}

let sending = false,
  next = null;
async function sendMoves() {
  // Only one request is pending at a time; afterwards, the latest message is sent.
  if (sending) return;
  for (sending = true; next;) {
    const message = next;
    next = null;
    try {
      await request("move", message);
    } catch (error) {
      showError(error);
      break;
    }
  }
  sending = false;
}

function moveTo(x, y) {
  let dx = (x - drag.at[0]) / view.scale,
    dy = (y - drag.at[1]) / view.scale;
  // in world coordinates, so that children, such as objects of a tilemap, snap to the same grid
  const first = drag.first;
  if (snapEnabled && step) {
    dx = snapped(first.x + dx) - first.x;
    dy = snapped(first.y + dy) - first.y;
  }
  const sent = drag.from.map(([entity, from, above]) => {
    const [lx, ly] = toParent(above, dx, dy);
    return [entity, Number((from.x + lx).toFixed(3)), Number((from.y + ly).toFixed(3))];
  });
  sent.forEach(([entity, nx, ny]) => places.has(entity) && Object.assign(places.get(entity), { x: nx, y: ny }));
  next = { places: sent, goes_on: drag.moved === true };
  Object.assign(drag, { moved: true, sent });
  sendMoves();
  requestDraw();
}

function pointerMove(event) {
  if (fingers.has(event.pointerId) && pinch(event)) return;
  mouse = at(event);
  if (drag?.rotates) rotateTo(...mouse);
  else if (drag?.pan) {
    view.x = drag.view.x - (mouse[0] - drag.at[0]) / view.scale;
    view.y = drag.view.y - (mouse[1] - drag.at[1]) / view.scale;
  } else if (drag?.from?.length && (drag.moved || Math.hypot(mouse[0] - drag.at[0], mouse[1] - drag.at[1]) > 3))
    moveTo(...mouse);
  const [x, y] = toWorld(...mouse);
  $("map-at").textContent = `${x.toFixed(0)}, ${y.toFixed(0)}`;
  requestDraw();
}

function pointerUp(event) {
  if (fingers.delete(event.pointerId) && fingers.size > 0) {
    drag = null;
    return;
  }
  if (drag?.box)
    select(
      Math.hypot(mouse[0] - drag.at[0], mouse[1] - drag.at[1]) > 3 ? entitiesInBox(drag.at, mouse) : [],
      drag.more,
    );
  // a second click at the same position selects the entity below
  else if (drag?.stack && !drag.moved && drag.reclicked)
    select([drag.stack[(drag.stack.indexOf(world.picked) + 1) % drag.stack.length]]);
  drag = null;
  requestDraw();
}

function onWheel(event) {
  event.preventDefault();
  userMoved = true;
  zoom(at(event), Math.exp(-event.deltaY * 0.0015));
}

async function destroySelected() {
  const entities = [...selected];
  if (entities.length === 0) return;
  try {
    await request("destroy", { entities });
    notify(`${entities.length === 1 ? "1 entity" : `${entities.length} entities`} destroyed; undo with Ctrl+Z`);
    selected.clear();
    drawSelectedCount();
  } catch (error) {
    showError(error);
  }
}

const viewCentre = () => [canvas.clientWidth / 2, canvas.clientHeight / 2];
function pan(dx, dy) {
  userMoved = true;
  view.x += (dx * canvas.clientWidth) / 8 / view.scale;
  view.y += (dy * canvas.clientHeight) / 8 / view.scale;
  requestDraw();
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function handleKey(event) {
  if (event.key === "Escape") {
    setTool(null);
    select([]);
  } else if (event.key === "Delete" || event.key === "Backspace") destroySelected();
  else if (event.key === "f") {
    const where = place(world.picked);
    if (where) {
      view.x = where.x;
      view.y = where.y;
    }
    requestDraw();
  } else if (event.key === "a" && !event.ctrlKey) {
    view.fitted = false;
    requestDraw();
  } else if (event.key === "+" || event.key === "-") zoom(viewCentre(), event.key === "+" ? 1.25 : 0.8);
  else if (/^r$/i.test(event.key) && !event.ctrlKey && places.has(world.picked))
    sendRotation(places.get(world.picked).angle + (event.shiftKey ? -ROTATION_STEP : ROTATION_STEP));
  else if (event.shiftKey && ARROWS[event.key]) nudge(...ARROWS[event.key]);
  else if (event.altKey && ARROWS[event.key]) pan(...ARROWS[event.key]);
  else if (event.key === "Enter" && tool) spawnAt(...toWorld(...(mouse ?? viewCentre())));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// --- palette and toolbar

function setTool(name) {
  tool = name;
  document.querySelectorAll("#map-palette .item").forEach((x) => x.classList.toggle("chosen", x.dataset.name === name));
  canvas.style.cursor = name ? "copy" : "crosshair";
  requestDraw();
}

function drawPalette() {
  const word = $("palette-filter").value.toLowerCase();
  updateChildren(
    $("map-palette"),
    ...world.schema.assemblages
      .filter((x) => x.name.includes(word) && !x.name.includes("/"))
      .map((x) => {
        const item = make(
          `button.item${x.name === tool ? ".chosen" : ""}`,
          { title: x.doc ?? `place ${x.name}`, onclick: () => setTool(tool === x.name ? null : x.name) },
          thumbnail(x),
          make("span.name", null, x.name),
          x.alive > 0 && make("span.dim", null, String(x.alive)),
        );
        item.dataset.name = x.name;
        return item;
      }),
  );
}
function drawSelectedCount() {
  $("map-chosen").textContent = selected.size > 1 ? `${selected.size} selected` : "";
}

async function save(replace) {
  const all = $("scene-all").checked;
  try {
    const { file, entities } = await request("save_scene", { scene: sceneOf, replace, all });
    notify(`Saved ${file}: ${count(entities, "entity", "entities")}`);
  } catch (error) {
    if (!replace && /already exists: set/.test(error.message)) {
      if (confirm(`scenes/${sceneOf}.json already exists. Overwrite it?`)) save(true);
    } else showError(error);
  }
}

function makeToolbar() {
  const grid = make(
    "select",
    {
      title: "grid size in pixels",
      ariaLabel: "grid",
      onchange: () => {
        step = Number(grid.value);
        localStorage.setItem("grid", step);
        requestDraw();
      },
    },
    [0, 4, 8, 16, 32, 64, 100].map((x) => make("option", { value: x }, x ? `grid ${x}` : "no grid")),
  );
  grid.value = String(step);
  const snap = make("input", {
    type: "checkbox",
    checked: snapEnabled,
    onchange: () => {
      snapEnabled = snap.checked;
      localStorage.setItem("snap", snapEnabled ? "1" : "0");
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
      sceneChosen = true;
      updateSceneCount();
      requestDraw();
    },
  });
  return make(
    "div.bar",
    null,
    grid,
    make("label.check", { title: "snap to the grid, and rotate in steps of 15°" }, snap, " snap"),
    make(
      "button",
      {
        id: "map-all",
        title: "fit all entities (A)",
        onclick: () => {
          view.fitted = false;
          requestDraw();
        },
      },
      "Fit",
    ),
    make("span.dim.push", { id: "map-chosen" }),
    make(
      "span.scene",
      null,
      make("label.dim", { htmlFor: "scene-name" }, "scene"),
      scene,
      make("span.dim", { id: "scene-count" }),
      make(
        "label.check",
        { title: "save all entities, not only the entities of this scene" },
        make("input", { type: "checkbox", id: "scene-all" }),
        " all",
      ),
      make("button.main", { id: "scene-save", onclick: () => save(false) }, "Save"),
    ),
  );
}

function updateHint() {
  $("map-hint").textContent = world.state.held || world.state.paused ? "" : "The game is running: press Space to pause";
}

export function panel() {
  canvas = make("canvas", {
    tabIndex: 0,
    onpointerdown: pointerDown,
    onpointermove: pointerMove,
    onpointerup: pointerUp,
    onpointercancel: pointerUp,
    onkeydown: handleKey,
    onfocus: requestDraw,
    onblur: requestDraw,
    oncontextmenu: (event) => event.preventDefault(),
    onpointerleave: () => {
      mouse = null;
      requestDraw();
    },
    ariaLabel: "map of the world",
    title: "",
  });
  canvas.addEventListener("wheel", onWheel, { passive: false });
  new ResizeObserver(requestDraw).observe(canvas);
  changes.addEventListener("loaded", () => {
    if ($("map-palette")) drawPalette();
  });
  changes.addEventListener("picked", () => {
    if (world.picked && !selected.has(world.picked)) {
      selected.clear();
      selected.add(world.picked);
    }
    requestDraw();
  });
  changes.addEventListener("state", () => {
    if ($("map-hint")) updateHint();
    ghosts.update(ends.length > 0, requestDraw);
  });
  events.addEventListener("changed", tiles.invalidate);
  return make(
    "div.panel",
    null,
    makeToolbar(),
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
      make("span", { id: "map-hint" }),
    ),
    make(
      "footer.dim.keys",
      null,
      make("span.mono", { id: "map-at" }),
      "click: select; again: entity below · drag: move or box-select · dot: rotate · Shift: add · " +
        "right button, two fingers, Alt+arrows: pan · wheel, + −: zoom · A: fit all · F: centre selection · " +
        "Shift+arrows: move · R: rotate · Enter: place · Del: destroy",
    ),
  );
}
export const scale = () => (view.fitted ? view.scale : 0); // 0 until the view is fitted; for tests
export function shown() {
  if (ends.length === 0)
    ends = [
      follow({ what: "sql", text: PLACES, hz: 20, limit: MAX }, updatePlaces),
      follow({ what: "sql", text: LOOKS, hz: 3, limit: MAX }, updateLooks),
      follow({ what: "sql", text: CAMERA, hz: 1, limit: 1 }, updateCamera),
      follow({ what: "sql", text: SCENES, hz: 1, limit: 1 }, updateScenes),
    ];
  tilesTimer ??= setInterval(
    () =>
      tiles.update(() => {
        view.fitted &&= userMoved;
        requestDraw();
      }),
    1000,
  );
  tiles.update(() => {
    view.fitted &&= userMoved;
    requestDraw();
  });
  ghosts.update(true, requestDraw);
  drawPalette();
  updateHint();
  requestDraw();
}
export function hidden() {
  ends.forEach((end) => end());
  ends = [];
  clearInterval(tilesTimer);
  tilesTimer = undefined;
  ghosts.update(false, requestDraw);
}
