// Plots a field of the selected entity, or the number that an SQL query returns, over time. The recorded past is a
// solid line; the prediction, with unchanged input, is a dashed line. Also manages data breakpoints.
import { request, follow, events } from "./wire.js";
import { world, changes, field, name, pick } from "./world.js";
import { $, make, updateChildren, format, showError, grid } from "./kit.js";

const MAX = 900,
  BACK = 600,
  AHEAD = 180;
const plots = [];
let visible = false;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

function drawLine(ctx, points, x, y) {
  ctx.beginPath();
  points.forEach(([tick, value], i) => (i ? ctx.lineTo(x(tick), y(value)) : ctx.moveTo(x(tick), y(value))));
  ctx.stroke();
}

// Draws lines { points: [[x, y], …], style, dashed } on shared axes. `now`: position of a vertical marker, if any.
export function drawPlot(canvas, lines, now) {
  const ratio = devicePixelRatio || 1,
    width = canvas.clientWidth,
    height = canvas.clientHeight,
    ctx = canvas.getContext("2d");
  const points = lines.flatMap((x) => x.points);
  if (width === 0 || points.length === 0) return;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  ctx.scale(ratio, ratio);
  let low = Infinity,
    high = -Infinity,
    first = Infinity,
    last = -Infinity;
  for (const [tick, value] of points) {
    low = Math.min(low, value);
    high = Math.max(high, value);
    first = Math.min(first, tick);
    last = Math.max(last, tick);
  }
  if (low === high) {
    low -= 1;
    high += 1;
  }
  const span = Math.max(1e-9, last - first);
  canvas.dataset.future = lines.filter((x) => x.dashed).reduce((sum, x) => sum + x.points.length, 0); // for tests
  canvas.dataset.past = points.length - canvas.dataset.future;
  const x = (tick) => 50 + ((tick - first) / span) * (width - 54),
    y = (value) => height - 16 - ((value - low) / (high - low)) * (height - 24);
  ctx.font = "10px monospace";
  ctx.fillStyle = colour("--dim");
  ctx.strokeStyle = colour("--line");
  for (const part of [0, 0.5, 1]) {
    const value = low + (high - low) * part;
    ctx.beginPath();
    ctx.moveTo(50, y(value));
    ctx.lineTo(width, y(value));
    ctx.stroke();
    ctx.fillText(Number(value.toPrecision(4)), 0, y(value) + 3);
  }
  ctx.fillText(Number(first.toPrecision(7)), 50, height - 3);
  ctx.textAlign = "right";
  ctx.fillText(Number(last.toPrecision(7)), width - 2, height - 3);
  ctx.textAlign = "left";
  if (now !== undefined && now > first && now < last) {
    ctx.strokeStyle = colour("--warn");
    ctx.beginPath();
    ctx.moveTo(x(now), 0);
    ctx.lineTo(x(now), height - 14);
    ctx.stroke();
  }
  ctx.lineWidth = 1.5;
  for (const { points: of, style, dashed } of lines) {
    ctx.strokeStyle = style.startsWith("--") ? colour(style) : style;
    ctx.setLineDash(dashed ? [4, 4] : []);
    drawLine(ctx, of, x, y);
  }
}

function toSql(text) {
  const parts = text.match(/^([a-z_]\w*)\.([\w.]+)$/i);
  if (!parts) return text;
  const known = field(parts[1], parts[2]),
    column = name(known?.column ?? parts[2].replace(".", "_"));
  const single = world.byName.get(parts[1])?.kind === "single";
  return `SELECT ${column} FROM ${name(parts[1])}${single ? "" : ` WHERE entity = ${world.picked}`}`;
}

export function watch(text) {
  if (!text.trim()) return;
  const now = make("span.value"),
    canvas = make("canvas"),
    of = /^\w+\.[\w.]+$/.test(text) && world.picked ? ` of #${world.picked}` : "";
  const plot = {
    sql: toSql(text),
    past: [],
    future: [],
    canvas,
    redraw: () => {
      if (canvas.isConnected && plot.past.length + plot.future.length > 1)
        drawPlot(
          canvas,
          [
            { points: plot.past, style: "--accent" },
            { points: [plot.past.at(-1), ...plot.future].filter(Boolean), style: "--accent", dashed: true },
          ],
          world.state.tick,
        );
    },
  };
  const end = follow({ what: "sql", text: plot.sql, hz: 20, limit: 1 }, (table, error, message) => {
    if (error) {
      now.textContent = error;
      return;
    }
    const value = table.rows[0]?.find((x) => typeof x === "number");
    now.textContent = value === undefined ? "no value" : format(value);
    if (value === undefined) return;
    while (plot.past.length && plot.past.at(-1)[0] >= message.tick) plot.past.pop();
    plot.past.push([message.tick, value]);
    if (plot.past.length > MAX) plot.past.shift();
    plot.future = plot.future.filter((x) => x[0] > message.tick);
    plot.redraw();
  });
  const element = make(
    "div.plot",
    null,
    make(
      "div.head",
      null,
      make("span.expression", { title: plot.sql }, text + of),
      now,
      make(
        "button.plain",
        {
          title: "remove",
          onclick: () => {
            end();
            element.remove();
            plots.splice(plots.indexOf(plot), 1);
          },
        },
        "×",
      ),
    ),
    canvas,
  );
  plots.push(plot);
  $("plots").append(element);
  document.dispatchEvent(new CustomEvent("tab", { detail: "Watch" }));
  updatePrediction();
}

// --- recorded past and prediction

let updating = false,
  updateAgain = false;
async function updatePrediction() {
  if (updating) {
    updateAgain = true;
    return;
  }
  if (!visible || plots.length === 0 || world.state.gone) return;
  updating = true;
  const requested = plots.slice(0, 8),
    isNew = requested.some((x) => x.past.length < 30);
  try {
    const { rows, now } = await request("over_time", {
      texts: requested.map((x) => x.sql),
      back: world.state.held || isNew ? BACK : 0,
      ahead: AHEAD,
    });
    requested.forEach((plot, i) => {
      const points = rows.filter((row) => typeof row[i + 1] === "number").map((row) => [row[0], row[i + 1]]);
      plot.future = points.filter((x) => x[0] > now);
      const known = new Map([...plot.past.filter((x) => x[0] <= now), ...points.filter((x) => x[0] <= now)]);
      plot.past = [...known].sort((a, b) => a[0] - b[0]).slice(-MAX);
      plot.redraw();
    });
  } catch (error) {
    if (!/try again|not connected|closed/.test(error.message)) $("watch-note").textContent = error.message;
  }
  updating = false;
  if (updateAgain) {
    updateAgain = false;
    setTimeout(updatePrediction, 50);
  }
}

// --- breakpoints

let breakpoints = JSON.parse(sessionStorage.getItem("breakpoints") ?? "[]"),
  armed = new Set();

function drawBreakpoints() {
  sessionStorage.setItem("breakpoints", JSON.stringify(breakpoints.map(({ text }) => ({ text }))));
  updateChildren(
    $("breakpoints"),
    ...breakpoints.map((x) =>
      make(
        `div.breakpoint${x.rows ? ".tripped" : ""}`,
        null,
        make(
          "div.head",
          null,
          make("span.badge", null, x.rows ? "hit" : armed.has(x.text) ? "armed" : "disabled"),
          make("span.expression.mono", { title: x.text }, x.text),
          x.rows && world.state.paused && make("button", { onclick: resume }, "Resume"),
          !armed.has(x.text) && make("button", { onclick: () => armBreakpoint(x) }, "Re-arm"),
          make("button.plain", { title: "remove", onclick: () => removeBreakpoint(x) }, "×"),
        ),
        x.rows && make("div.grid", null, grid(x.columns, x.rows, pick)),
      ),
    ),
  );
}
async function armBreakpoint(x) {
  try {
    await request("watch", { text: x.text });
    armed.add(x.text);
    x.wasArmed = true;
    x.rows = null;
  } catch (error) {
    showError(error);
    breakpoints = breakpoints.filter((y) => y !== x);
  }
  drawBreakpoints();
}
function removeBreakpoint(x) {
  if (armed.has(x.text)) request("watch", { text: x.text, on: false }).catch(showError);
  armed.delete(x.text);
  breakpoints = breakpoints.filter((y) => y !== x);
  drawBreakpoints();
}
export const resume = () => request("lua", { text: "world.pause(false)" }).catch(showError);
export function addBreakpoint(text) {
  if (!text.trim()) return;
  const x = { text };
  breakpoints = breakpoints.filter((y) => y.text !== text).concat(x);
  armBreakpoint(x);
}

// Updates the state of breakpoints. If a breakpoint was hit, requests its rows and opens the tab.
async function updateBreakpoints() {
  try {
    armed = new Set((await request("watches")).texts);
    for (const text of armed) if (!breakpoints.some((x) => x.text === text)) breakpoints.push({ text });
    for (const x of breakpoints)
      if (x.wasArmed && !armed.has(x.text)) {
        const { columns, rows } = await request("sql", { text: x.text, limit: 20 });
        Object.assign(x, { columns, rows });
        document.dispatchEvent(new CustomEvent("tab", { detail: "Watch" }));
      }
    for (const x of breakpoints) x.wasArmed = armed.has(x.text);
  } catch {
    /* not connected */
  }
  drawBreakpoints();
}

export function panel() {
  const input = make("input.wide.mono", {
    placeholder: "transform.x of the selected entity, or SELECT sum(hp) FROM health",
    spellcheck: false,
    ariaLabel: "expression to watch",
  });
  const add = () => {
      try {
        watch(input.value);
        input.value = "";
      } catch (error) {
        showError(error);
      }
    },
    addBreak = () => {
      addBreakpoint(input.value);
      input.value = "";
    };
  input.onkeydown = (event) => {
    if (event.key === "Enter") add();
  };
  return make(
    "div.panel",
    null,
    make(
      "div.bar",
      null,
      input,
      make("button", { onclick: add }, "Plot"),
      make(
        "button",
        { onclick: addBreak, title: "add a breakpoint: pause the game when the query returns a row" },
        "Break",
      ),
    ),
    make(
      "div.scroll",
      null,
      make("div", { id: "breakpoints" }),
      make("div.dim.note", { id: "watch-note" }),
      make("div", { id: "plots" }),
    ),
  );
}
export function shown() {
  visible = true;
  plots.forEach((x) => x.redraw());
  updatePrediction();
  updateBreakpoints();
}
export function hidden() {
  visible = false;
}
export function init() {
  let paused = false,
    tick = -1;
  setInterval(() => {
    if (visible && !world.state.held) updatePrediction();
  }, 1000);
  changes.addEventListener("state", () => {
    if (world.state.paused !== paused) {
      paused = world.state.paused;
      updateBreakpoints();
    }
    if (world.state.held && world.state.tick !== tick) {
      tick = world.state.tick;
      updatePrediction();
    }
  });
  events.addEventListener("changed", () => updatePrediction()); // after an edit
  changes.addEventListener("loaded", updateBreakpoints);
}
