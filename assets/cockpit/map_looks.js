// Appearance of entities on the map and of assemblages in its palette: shapes, and parts of images.
import { make } from "./kit.js";
import { cut } from "./map_sheets.js";

const THUMBNAIL = 22, // pixels
  MARGIN = 2;
const pictures = new Map(); // Image, by asset name

// Returns the image of an asset, or null without a name. Calls `loaded` when the image is complete.
export function picture(name, loaded) {
  if (!name) return null;
  if (!pictures.has(name)) {
    const image = new Image();
    image.src = `assets/${encodeURI(name)}`;
    pictures.set(name, image);
  }
  const image = pictures.get(name);
  if (!image.complete) image.addEventListener("load", loaded, { once: true });
  return image;
}

// Returns the corners of a polygon or line as [[x, y], …]; null for other shapes.
export function corners(kind, points) {
  const numbers = kind && kind !== "circle" && points ? (points.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number) : [];
  return numbers.length < 4
    ? null
    : numbers.reduce((all, n, i) => (i % 2 ? all[all.length - 1].push(n) : all.push([n]), all), []);
}
// Returns the largest distance of a corner from the origin, along an axis.
export const reachOf = (shape) => (shape ? Math.max(...shape.flat().map(Math.abs)) : 0);

// Returns the width and height of an appearance, unscaled; 0 until its image is loaded.
export function extent(look) {
  const part = look.kind ? null : cut(look);
  if (look.kind === "circle") return [look.radius * 2, look.radius * 2];
  if (look.reach) return [look.reach * 2, look.reach * 2];
  return look.kind ? [look.width, look.height] : [look.w || part?.w || 0, look.h || part?.h || 0];
}

const byte = (part) => Math.round(Math.min(1, Math.max(0, part)) * 255);
export const rgb = (r, g, b) => `rgb(${byte(r)} ${byte(g)} ${byte(b)})`;

function outline(ctx, look) {
  if (look.kind === "circle") ctx.arc(0, 0, look.radius, 0, 7);
  else if (look.shape) look.shape.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
  else ctx.rect(-look.width / 2, -look.height / 2, look.width, look.height);
  if (look.shape && look.kind === "polygon") ctx.closePath();
}

// Draws a shape or a sprite at the origin of `ctx`, which magnifies by `scale`.
export function paint(ctx, look, scale) {
  const part = look.kind ? null : cut(look);
  ctx.strokeStyle = ctx.fillStyle = look.kind ? rgb(look.r, look.g, look.b) : "#8fa3bf";
  ctx.lineWidth = 1.2 / scale;
  ctx.beginPath();
  if (look.kind) {
    outline(ctx, look);
    look.filled && look.kind !== "line" ? ctx.fill() : ctx.stroke();
  } else if (part) {
    const w = look.w || part.w,
      h = look.h || part.h;
    ctx.imageSmoothingEnabled = scale < 2;
    ctx.scale(look.flip ? -1 : 1, look.flip_y ? -1 : 1);
    ctx.drawImage(look.picture, part.x, part.y, part.w, part.h, -w * part.px, -h * part.py, w, h);
  } else {
    ctx.rect(-(look.w || 16) / 2, -(look.h || 16) / 2, look.w || 16, look.h || 16);
    ctx.setLineDash([4 / scale, 4 / scale]);
    ctx.stroke();
  }
}

// Returns the appearance of an assemblage; null without a sprite and a shape. Calls `redraw` when its image is loaded.
export function lookOf({ sprite, shape }, redraw) {
  if (sprite?.image)
    return {
      image: sprite.image,
      picture: picture(sprite.image, redraw),
      requestDraw: redraw,
      w: sprite.width,
      h: sprite.height,
      number: sprite.frame,
      count: sprite.frames,
      flip: sprite.flip,
      flip_y: sprite.flip_y,
    };
  const points = shape && corners(shape.kind, shape.points);
  return shape
    ? {
        ...shape,
        shape: points,
        reach: reachOf(points),
        r: shape["colour.x"],
        g: shape["colour.y"],
        b: shape["colour.z"],
      }
    : null;
}

// Returns a small picture of an assemblage: its sprite, or else its shape, fitted into a square; empty without either.
export function thumbnail(assemblage) {
  const canvas = make("canvas.thumbnail"),
    ratio = devicePixelRatio || 1,
    ctx = canvas.getContext("2d");
  const look = lookOf(assemblage, draw);
  function draw() {
    canvas.width = canvas.height = THUMBNAIL * ratio; // clears the canvas
    const size = Math.max(...extent(look));
    if (!size) return;
    const scale = ((THUMBNAIL - 2 * MARGIN) / size) * ratio,
      pivot = look.kind ? null : cut(look);
    ctx.translate((THUMBNAIL / 2) * ratio, (THUMBNAIL / 2) * ratio);
    ctx.scale(scale, scale);
    if (pivot) {
      // centres the image, whatever its pivot
      const [w, h] = extent(look);
      ctx.translate(w * (pivot.px - 0.5) * (look.flip ? -1 : 1), h * (pivot.py - 0.5) * (look.flip_y ? -1 : 1));
    }
    paint(ctx, look, scale);
  }
  if (look) draw();
  return canvas;
}
