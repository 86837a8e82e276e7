// A canvas of the level editor: pans and zooms, and passes pointer events in the level's coordinates to tools.
import { make } from "./kit.js";

const GRID = 9; // minimum distance of grid lines in pixels

// Creates a view. draw(ctx, scale): draws the level; down(x, y, event): begins an action with the left button, and
// returns { move(x, y), up() } or nothing; hover(x, y): the pointer moved, or left the canvas (without arguments);
// key(event): returns whether it has handled the key. Returns { canvas, draw, fit, centre, scale }.
export function levelView({ draw, down, hover, key }) {
  const view = { x: 0, y: 0, scale: 2 };
  let fitted = null, // bounds that the view shows until the user moves it
    action = null,
    pan = null,
    pending = false;
  const fingers = new Map();
  const toLevel = ([x, y]) => [
    (x - canvas.clientWidth / 2) / view.scale + view.x,
    (y - canvas.clientHeight / 2) / view.scale + view.y,
  ];
  const at = (event) => [event.offsetX, event.offsetY];

  function paint() {
    pending = false;
    const ratio = devicePixelRatio || 1,
      { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const ctx = canvas.getContext("2d");
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.translate(width / 2, height / 2);
    ctx.scale(view.scale, view.scale);
    ctx.translate(-view.x, -view.y);
    draw(ctx, view.scale);
  }
  const requestDraw = () => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(paint);
  };
  const zoom = (point, by) => {
    fitted = null;
    const [x, y] = toLevel(point);
    view.scale = Math.min(24, Math.max(0.05, view.scale * by));
    const [nx, ny] = toLevel(point);
    view.x += x - nx;
    view.y += y - ny;
    requestDraw();
  };
  const centre = () => [canvas.clientWidth / 2, canvas.clientHeight / 2];

  // Pans and zooms while two fingers touch the canvas.
  function pinch(event) {
    const before = [...fingers.values()];
    fingers.set(event.pointerId, at(event));
    const after = [...fingers.values()];
    if (after.length !== 2) return false;
    const middle = (two) => [(two[0][0] + two[1][0]) / 2, (two[0][1] + two[1][1]) / 2],
      wide = (two) => Math.hypot(two[0][0] - two[1][0], two[0][1] - two[1][1]) || 1;
    const from = middle(before),
      to = middle(after);
    view.x -= (to[0] - from[0]) / view.scale;
    view.y -= (to[1] - from[1]) / view.scale;
    zoom(to, wide(after) / wide(before));
    return true;
  }

  function pointerDown(event) {
    canvas.focus();
    canvas.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") fingers.set(event.pointerId, at(event));
    if (fingers.size > 1) action = null;
    else if (event.button === 0) action = down(...toLevel(at(event)), event) ?? null;
    else pan = { from: at(event), x: view.x, y: view.y };
    requestDraw();
  }
  function pointerMove(event) {
    if (fingers.has(event.pointerId) && pinch(event)) return;
    if (pan) {
      fitted = null;
      const [x, y] = at(event);
      view.x = pan.x - (x - pan.from[0]) / view.scale;
      view.y = pan.y - (y - pan.from[1]) / view.scale;
    } else {
      const place = toLevel(at(event));
      hover(...place);
      action?.move?.(...place);
    }
    requestDraw();
  }
  function pointerUp(event) {
    fingers.delete(event.pointerId);
    action?.up?.();
    action = pan = null;
    requestDraw();
  }
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  function keyDown(event) {
    const arrow = ARROWS[event.key];
    if (key(event)) requestDraw();
    else if (event.key === "+" || event.key === "-") zoom(centre(), event.key === "+" ? 1.25 : 0.8);
    else if (arrow && event.altKey) {
      fitted = null;
      view.x += (arrow[0] * canvas.clientWidth) / 8 / view.scale;
      view.y += (arrow[1] * canvas.clientHeight) / 8 / view.scale;
      requestDraw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const canvas = make("canvas", {
    tabIndex: 0,
    ariaLabel: "level",
    onpointerdown: pointerDown,
    onpointermove: pointerMove,
    onpointerup: pointerUp,
    onpointercancel: pointerUp,
    onpointerleave: () => {
      hover();
      requestDraw();
    },
    onkeydown: keyDown,
    oncontextmenu: (event) => event.preventDefault(),
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(at(event), Math.exp(-event.deltaY * 0.0015));
    },
    { passive: false },
  );
  const fit = (bounds) => {
    const [left, top, width, height] = bounds;
    fitted = bounds;
    view.x = left + width / 2;
    view.y = top + height / 2;
    const scale = Math.min(canvas.clientWidth / Math.max(width, 16), canvas.clientHeight / Math.max(height, 16)) * 0.92;
    view.scale = Math.min(8, scale || 1);
    requestDraw();
  };
  new ResizeObserver(() => (fitted ? fit(fitted) : requestDraw())).observe(canvas);
  return { canvas, draw: requestDraw, fit, centre: () => toLevel(centre()), scale: () => view.scale, toLevel };
}

// Draws the lines of a grid over a rectangle, unless they are too close.
export function drawGrid(ctx, scale, [left, top, width, height], [stepX, stepY], colour) {
  if (stepX * scale < GRID || stepY * scale < GRID) return;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1 / scale;
  ctx.beginPath();
  for (let x = left; x <= left + width; x += stepX) (ctx.moveTo(x, top), ctx.lineTo(x, top + height));
  for (let y = top; y <= top + height; y += stepY) (ctx.moveTo(left, y), ctx.lineTo(left + width, y));
  ctx.stroke();
}
