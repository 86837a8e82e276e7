// Values over time: a field of the picked entity, or anything that a question in SQL gives as one number.
import { follow } from "./wire.js";
import { world, field, name } from "./world.js";
import { $, make, show, complain } from "./kit.js";

const MOST = 600;
const plots = [];

function stroke(canvas, points) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, pen = canvas.getContext("2d");
  if (width === 0) return;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  pen.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement), values = points.map((p) => p[1]);
  let low = Math.min(...values), high = Math.max(...values);
  if (low === high) { low -= 1; high += 1; }
  const first = points[0][0], span = Math.max(1, points.at(-1)[0] - first);
  const x = (tick) => 46 + (tick - first) / span * (width - 50), y = (value) => height - 16 - (value - low) / (high - low) * (height - 24);
  pen.font = "10px monospace";
  pen.fillStyle = style.getPropertyValue("--dim");
  pen.strokeStyle = style.getPropertyValue("--line");
  for (const part of [0, 0.5, 1]) {
    const value = low + (high - low) * part;
    pen.beginPath(); pen.moveTo(46, y(value)); pen.lineTo(width, y(value)); pen.stroke();
    pen.fillText(Number(value.toPrecision(4)), 0, y(value) + 3);
  }
  pen.fillText(first, 46, height - 3);
  pen.fillText(points.at(-1)[0], width - 46, height - 3);
  pen.strokeStyle = style.getPropertyValue("--accent");
  pen.lineWidth = 1.5;
  pen.beginPath();
  points.forEach(([tick, value], i) => (i ? pen.lineTo(x(tick), y(value)) : pen.moveTo(x(tick), y(value))));
  pen.stroke();
}

function question(text) {
  const parts = text.match(/^([a-z_]\w*)\.([\w.]+)$/i);
  if (!parts) return text;
  const known = field(parts[1], parts[2]), column = name(known?.column ?? parts[2].replace(".", "_"));
  const single = world.byName.get(parts[1])?.kind === "single";
  return `SELECT ${column} FROM ${name(parts[1])}${single ? "" : ` WHERE entity = ${world.picked}`}`;
}

export function watch(text) {
  if (!text.trim()) return;
  const points = [], now = make("span.value"), canvas = make("canvas"), of = /^\w+\.[\w.]+$/.test(text) && world.picked ? ` of #${world.picked}` : "";
  const element = make("div.plot", null, make("div.head", null, make("span.what", { title: text }, text + of), now, make("button.plain", { title: "no longer", onclick: () => { end(); element.remove(); plots.splice(plots.indexOf(again), 1); } }, "×")), canvas);
  const again = () => { if (points.length > 1 && canvas.isConnected) stroke(canvas, points); };
  const end = follow({ what: "sql", text: question(text), hz: 20, limit: 1 }, (table, error, message) => {
    if (error) { now.textContent = error; return; }
    const value = table.rows[0]?.find((x) => typeof x === "number");
    now.textContent = value === undefined ? "nothing" : show(value);
    if (value === undefined) return;
    while (points.length && points.at(-1)[0] >= message.tick) points.pop();
    points.push([message.tick, value]);
    if (points.length > MOST) points.shift();
    again();
  });
  $("plots").append(element);
  plots.push(again);
  document.dispatchEvent(new CustomEvent("tab", { detail: "Watch" }));
}

export function panel() {
  const input = make("input.wide.mono", { placeholder: "transform.x of what is picked, or SELECT sum(hp) FROM health", spellcheck: false, ariaLabel: "what is watched" });
  const add = () => { try { watch(input.value); input.value = ""; } catch (error) { complain(error); } };
  input.onkeydown = (event) => { if (event.key === "Enter") add(); };
  return make("div.panel", null, make("div.bar", null, input, make("button", { onclick: add }, "Plot")), make("div.scroll", { id: "plots" }));
}
export const shown = () => plots.forEach((again) => again());
