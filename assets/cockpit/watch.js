// Plots values over time: a field of the selected entity, or an SQL query that returns a number; the recorded past as a
// line, the prediction with unchanged input dashed. Also data breakpoints.
import { ask, follow, events } from "./wire.js";
import { world, changes, field, name, pick } from "./world.js";
import { $, make, refill, show, complain, grid } from "./kit.js";

const MAX = 900,
  BACK = 600,
  AHEAD = 180;
const plots = [];
let looking = false;

const colour = (word) => getComputedStyle(document.documentElement).getPropertyValue(word);

function line(pen, points, x, y) {
  pen.beginPath();
  points.forEach(([tick, value], i) => (i ? pen.lineTo(x(tick), y(value)) : pen.moveTo(x(tick), y(value))));
  pen.stroke();
}

// Draws lines on shared axes: { points: [[x, y], …], style, dashed }.
export function stroke(canvas, lines, now) {
  const ratio = devicePixelRatio || 1,
    width = canvas.clientWidth,
    height = canvas.clientHeight,
    pen = canvas.getContext("2d");
  const points = lines.flatMap((x) => x.points);
  if (width === 0 || points.length === 0) return;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  pen.scale(ratio, ratio);
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
  pen.font = "10px monospace";
  pen.fillStyle = colour("--dim");
  pen.strokeStyle = colour("--line");
  for (const part of [0, 0.5, 1]) {
    const value = low + (high - low) * part;
    pen.beginPath();
    pen.moveTo(50, y(value));
    pen.lineTo(width, y(value));
    pen.stroke();
    pen.fillText(Number(value.toPrecision(4)), 0, y(value) + 3);
  }
  pen.fillText(Number(first.toPrecision(7)), 50, height - 3);
  pen.textAlign = "right";
  pen.fillText(Number(last.toPrecision(7)), width - 2, height - 3);
  pen.textAlign = "left";
  if (now !== undefined && now > first && now < last) {
    pen.strokeStyle = colour("--warn");
    pen.beginPath();
    pen.moveTo(x(now), 0);
    pen.lineTo(x(now), height - 14);
    pen.stroke();
  }
  pen.lineWidth = 1.5;
  for (const { points: of, style, dashed } of lines) {
    pen.strokeStyle = style.startsWith("--") ? colour(style) : style;
    pen.setLineDash(dashed ? [4, 4] : []);
    line(pen, of, x, y);
  }
}

function question(text) {
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
    sql: question(text),
    past: [],
    future: [],
    canvas,
    again: () => {
      if (canvas.isConnected && plot.past.length + plot.future.length > 1)
        stroke(
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
    now.textContent = value === undefined ? "nothing" : show(value);
    if (value === undefined) return;
    while (plot.past.length && plot.past.at(-1)[0] >= message.tick) plot.past.pop();
    plot.past.push([message.tick, value]);
    if (plot.past.length > MAX) plot.past.shift();
    plot.future = plot.future.filter((x) => x[0] > message.tick);
    plot.again();
  });
  const element = make(
    "div.plot",
    null,
    make(
      "div.head",
      null,
      make("span.what", { title: plot.sql }, text + of),
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
  lookAhead();
}

// --- what was before it was watched, and what would come

let asking = false,
  again = false;
async function lookAhead() {
  if (asking) {
    again = true;
    return;
  }
  if (!looking || plots.length === 0 || world.state.gone) return;
  asking = true;
  const asked = plots.slice(0, 8),
    young = asked.some((x) => x.past.length < 30);
  try {
    const { rows, now } = await ask("over_time", {
      texts: asked.map((x) => x.sql),
      back: world.state.held || young ? BACK : 0,
      ahead: AHEAD,
    });
    asked.forEach((plot, i) => {
      const points = rows.filter((row) => typeof row[i + 1] === "number").map((row) => [row[0], row[i + 1]]);
      plot.future = points.filter((x) => x[0] > now);
      const known = new Map([...plot.past.filter((x) => x[0] <= now), ...points.filter((x) => x[0] <= now)]);
      plot.past = [...known].sort((a, b) => a[0] - b[0]).slice(-MAX);
      plot.again();
    });
  } catch (error) {
    if (!/try again|not connected|closed/.test(error.message)) $("watch-note").textContent = error.message;
  }
  asking = false;
  if (again) {
    again = false;
    setTimeout(lookAhead, 50);
  }
}

// --- breakpoints

let breakpoints = JSON.parse(sessionStorage.getItem("breakpoints") ?? "[]"),
  armed = new Set();

function drawBreakpoints() {
  sessionStorage.setItem("breakpoints", JSON.stringify(breakpoints.map(({ text }) => ({ text }))));
  refill(
    $("breakpoints"),
    ...breakpoints.map((x) =>
      make(
        `div.breakpoint${x.rows ? ".tripped" : ""}`,
        null,
        make(
          "div.head",
          null,
          make("span.badge", null, x.rows ? "has a row" : armed.has(x.text) ? "waits" : "off"),
          make("span.what.mono", { title: x.text }, x.text),
          x.rows && world.state.paused && make("button", { onclick: goOn }, "Resume"),
          !armed.has(x.text) && make("button", { onclick: () => arm(x) }, "Re-arm"),
          make("button.plain", { title: "remove", onclick: () => drop(x) }, "×"),
        ),
        x.rows && make("div.grid", null, grid(x.columns, x.rows, pick)),
      ),
    ),
  );
}
async function arm(x) {
  try {
    await ask("watch", { text: x.text });
    armed.add(x.text);
    x.waits = true;
    x.rows = null;
  } catch (error) {
    complain(error);
    breakpoints = breakpoints.filter((y) => y !== x);
  }
  drawBreakpoints();
}
function drop(x) {
  if (armed.has(x.text)) ask("watch", { text: x.text, on: false }).catch(complain);
  armed.delete(x.text);
  breakpoints = breakpoints.filter((y) => y !== x);
  drawBreakpoints();
}
export const goOn = () => ask("lua", { text: "world.pause(false)" }).catch(complain);
export function breakAt(text) {
  if (!text.trim()) return;
  const x = { text };
  breakpoints = breakpoints.filter((y) => y.text !== text).concat(x);
  arm(x);
}

// Updates the state of breakpoints; requests the row of one that was hit.
async function learn() {
  try {
    armed = new Set((await ask("watches")).texts);
    for (const text of armed) if (!breakpoints.some((x) => x.text === text)) breakpoints.push({ text });
    for (const x of breakpoints)
      if (x.waits && !armed.has(x.text)) {
        const { columns, rows } = await ask("sql", { text: x.text, limit: 20 });
        Object.assign(x, { columns, rows });
        document.dispatchEvent(new CustomEvent("tab", { detail: "Watch" }));
      }
    for (const x of breakpoints) x.waits = armed.has(x.text);
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
        complain(error);
      }
    },
    stop = () => {
      breakAt(input.value);
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
      make("button", { onclick: stop, title: "pause the game when the query returns a row" }, "Break"),
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
  looking = true;
  plots.forEach((x) => x.again());
  lookAhead();
  learn();
}
export function hidden() {
  looking = false;
}
export function begin() {
  let paused = false,
    tick = -1;
  setInterval(() => {
    if (looking && !world.state.held) lookAhead();
  }, 1000);
  changes.addEventListener("state", () => {
    if (world.state.paused !== paused) {
      paused = world.state.paused;
      learn();
    }
    if (world.state.held && world.state.tick !== tick) {
      tick = world.state.tick;
      lookAhead();
    }
  });
  events.addEventListener("changed", () => lookAhead()); // a value was edited
  changes.addEventListener("learned", learn);
}
