// Panels of games and plugins: a live table of a query, or widgets drawn by the game. Only visible panels are
// requested.
import { ask, follow } from "./wire.js";
import { changes, pick } from "./world.js";
import { $, make, refill, grid, complain } from "./kit.js";
import { stroke } from "./watch.js";
import { note } from "./tuned.js";
import { plotRows } from "./console.js";

let cards = [],
  looking = false;
const folded = new Set(JSON.parse(localStorage.getItem("panels-folded") ?? "[]"));

// --- widgets

// Widgets are reused between updates, so that a slider keeps its drag.
function value(w) {
  const text = make("span.mono");
  return {
    element: make("div.widget", null, make("span.dim", null, w.label), text),
    again: (x) => {
      text.textContent = x.text ?? "";
    },
  };
}
function label(w) {
  return { element: make("div.widget", null, make("span", null, w.label)), again: () => {} };
}
function button(w, card) {
  const element = make("div.widget", null, make("button", { onclick: () => press(card, w.label) }, w.label));
  return { element, again: () => {} };
}
async function press(card, widget, to) {
  try {
    await ask("press", { panel: card.title, widget, value: to });
  } catch (error) {
    complain(error);
  }
}

const digits = (x, whole) => (whole ? String(Math.round(x)) : String(Number(x.toPrecision(4))));

// Sets a field like the inspector, which keeps its first value for undo and write-back.
function slider(w, card) {
  const input = make("input", { type: "range", ariaLabel: w.label }),
    text = make("span.mono.number");
  let held = false,
    going = false,
    next = null,
    now = w,
    began = false;
  const send = async () => {
    // one request at a time, the latest wins
    if (going) return;
    for (going = true; next !== null;) {
      const to = next;
      next = null;
      if (!now.component) {
        await press(card, now.label, to);
        continue;
      }
      const at = { entity: now.entity, component: now.component, instance: now.instance ?? "", field: now.field };
      try {
        await ask("set", { ...at, value: to, goes_on: began });
        began = true;
        note({ ...at, value: now.value }, to);
      } catch (error) {
        complain(error);
      }
    }
    going = false;
  };
  input.onpointerdown = () => {
    held = true;
    began = false;
  };
  input.onpointerup = () => {
    held = false;
  };
  input.onchange = () => {
    held = false;
    began = false;
  };
  input.oninput = () => {
    next = Number(input.value);
    text.textContent = digits(next, now.whole);
    send();
  };
  return {
    element: make(
      "div.widget.slides",
      null,
      make("span.dim", { title: w.component ? `${w.component}.${w.field}` : "" }, w.label),
      input,
      text,
    ),
    again: (x) => {
      now = x;
      input.min = x.min;
      input.max = x.max;
      input.step = x.whole ? 1 : (x.max - x.min) / 200;
      if (held || going) return;
      input.value = x.value;
      text.textContent = digits(x.value, x.whole);
    },
  };
}
function plot(w) {
  const canvas = make("canvas"),
    text = make("span.mono");
  return {
    element: make("div.plotted-widget", null, make("div.widget", null, make("span.dim", null, w.label), text), canvas),
    again: (x) => {
      text.textContent = x.points?.length ? digits(x.points.at(-1)[1]) : "–";
      const [only] = x.points ?? [],
        points = x.points?.length === 1 ? [only, [only[0] + 1, only[1]]] : x.points;
      if (points?.length) requestAnimationFrame(() => stroke(canvas, [{ points, style: "--accent" }]));
    },
  };
}
const KINDS = { value, label, button, slider, plot };

function drawWidgets(card, { error, widgets }) {
  const same = !error && card.kinds === widgets.map((w) => `${w.kind} ${w.label}`).join("\n");
  if (error) {
    card.kinds = null;
    card.body.replaceChildren(make("div.error", null, error));
    return;
  }
  if (!same) {
    card.kinds = widgets.map((w) => `${w.kind} ${w.label}`).join("\n");
    card.widgets = widgets.map((w) => (KINDS[w.kind] ?? label)(w, card));
    card.body.replaceChildren(
      ...(widgets.length ? card.widgets.map((x) => x.element) : [make("div.dim", null, "empty")]),
    );
  }
  widgets.forEach((w, i) => card.widgets[i].again(w));
}

// --- tables

function drawTable(card, table, error) {
  if (error) {
    card.body.replaceChildren(make("div.error", null, `${card.at}: ${error}`));
    return;
  }
  const numeric = table.rows.length > 1 && table.rows.some((row) => row.some((x) => typeof x === "number"));
  card.plots ??= card.plot;
  refill(
    card.body,
    make(
      "div.dim",
      null,
      `${table.rows.length}${table.more ? " of more" : ""} row${table.rows.length === 1 ? "" : "s"} `,
      numeric &&
        make(
          "button.plain",
          {
            onclick: () => {
              card.plots = !card.plots;
              drawTable(card, table);
            },
          },
          card.plots ? "No plot" : "Plot",
        ),
    ),
    ...(card.plots && numeric ? [plotRows(table.columns, table.rows)] : []),
    make("div.grid", null, grid(table.columns, table.rows, pick)),
  );
}

// --- cards

function begin(card) {
  if (card.end || folded.has(card.title)) return;
  card.end = card.sql
    ? follow({ what: "sql", text: card.sql, hz: 10, limit: 200 }, (table, error) => drawTable(card, table, error))
    : follow({ what: "panel", text: card.title, hz: 10 }, (panel, error) =>
        drawWidgets(card, panel ?? { error, widgets: [] }),
      );
}
function end(card) {
  card.end?.();
  card.end = null;
}

function fold(card) {
  const off = !folded.has(card.title);
  if (off) {
    folded.add(card.title);
    end(card);
  } else {
    folded.delete(card.title);
    begin(card);
  }
  localStorage.setItem("panels-folded", JSON.stringify([...folded]));
  draw(card);
}
function draw(card) {
  const off = folded.has(card.title);
  card.head.setAttribute("aria-expanded", !off);
  card.head.firstChild.textContent = off ? "▸ " : "▾ ";
  card.body.hidden = off;
}
function makeCard(x) {
  const card = { ...x, body: make("div.inside") };
  card.head = make("button.plain.own-title", { onclick: () => fold(card) }, make("span.dim", null, ""), x.title);
  card.element = make(
    "section.own",
    null,
    make("div.head", null, card.head, make("span.dim", { title: "source location" }, x.at)),
    card.body,
  );
  card.element.dataset.title = x.title;
  draw(card);
  return card;
}

async function learn() {
  const { panels } = await ask("panels");
  cards.forEach(end);
  cards = panels.map(makeCard);
  $("own-panels").replaceChildren(...cards.map((card) => card.element));
  $("no-panels").hidden = cards.length > 0;
  if (looking) cards.forEach(begin);
}

export function panel() {
  changes.addEventListener("learned", () => learn().catch(() => {}));
  return make(
    "div.panel",
    null,
    make(
      "div.scroll",
      null,
      make("div", { id: "own-panels" }),
      make(
        "p.dim",
        { id: "no-panels", hidden: true },
        "This game has no panels. Add one in cockpit.lua: ",
        make("code", null, 'shoal.cockpit { title = "Rocks", sql = "SELECT …" }'),
      ),
    ),
  );
}
export function shown() {
  looking = true;
  cards.forEach(begin);
}
export function hidden() {
  looking = false;
  cards.forEach(end);
}
