// Panels of games and plugins: the live result of an SQL query, or widgets that a draw function declares. Only unfolded
// panels of the visible tab are subscribed to.
import { request, follow } from "./wire.js";
import { changes, pick } from "./world.js";
import { $, make, updateChildren, foldedGrid, showError } from "./kit.js";
import { drawPlot } from "./watch.js";
import { record } from "./tuned.js";
import { plotRows } from "./console.js";

let cards = [],
  visible = false;
const folded = new Set(JSON.parse(localStorage.getItem("panels-folded") ?? "[]"));

// --- widgets

// Each function returns { element, update }. Elements are kept between updates, so that a slider can be dragged.
function valueWidget(w) {
  const text = make("span.mono");
  return {
    element: make("div.widget", null, make("span.dim", null, w.label), text),
    update: (x) => {
      text.textContent = x.text ?? "";
    },
  };
}
function labelWidget(w) {
  return { element: make("div.widget", null, make("span", null, w.label)), update: () => {} };
}
function buttonWidget(w, card) {
  const element = make("div.widget", null, make("button", { onclick: () => press(card, w.label) }, w.label));
  return { element, update: () => {} };
}
async function press(card, widget, newValue) {
  try {
    await request("press", { panel: card.title, widget, value: newValue });
  } catch (error) {
    showError(error);
  }
}

const digits = (x, whole) => (whole ? String(Math.round(x)) : String(Number(x.toPrecision(4))));

// A slider for a field, as in the inspector: each drag is one undo step, and the value can be written back.
function sliderWidget(w, card) {
  const input = make("input", { type: "range", ariaLabel: w.label }),
    text = make("span.mono.number");
  let dragging = false,
    sending = false,
    next = null,
    now = w,
    started = false;
  const send = async () => {
    // Only one request is pending at a time; afterwards, the latest value is sent.
    if (sending) return;
    for (sending = true; next !== null;) {
      const newValue = next;
      next = null;
      if (!now.component) {
        await press(card, now.label, newValue);
        continue;
      }
      const at = { entity: now.entity, component: now.component, instance: now.instance ?? "", field: now.field };
      try {
        await request("set", { ...at, value: newValue, goes_on: started });
        started = true;
        record({ ...at, value: now.value }, newValue);
      } catch (error) {
        showError(error);
      }
    }
    sending = false;
  };
  input.onpointerdown = () => {
    dragging = true;
    started = false;
  };
  input.onpointerup = () => {
    dragging = false;
  };
  input.onchange = () => {
    dragging = false;
    started = false;
  };
  input.oninput = () => {
    next = Number(input.value);
    text.textContent = digits(next, now.whole);
    send();
  };
  return {
    element: make(
      "div.widget.slider",
      null,
      make("span.dim", { title: w.component ? `${w.component}.${w.field}` : "" }, w.label),
      input,
      text,
    ),
    update: (x) => {
      now = x;
      input.min = x.min;
      input.max = x.max;
      input.step = x.whole ? 1 : (x.max - x.min) / 200;
      if (dragging || sending) return;
      input.value = x.value;
      text.textContent = digits(x.value, x.whole);
    },
  };
}
function plotWidget(w) {
  const canvas = make("canvas"),
    text = make("span.mono");
  return {
    element: make("div.plotted-widget", null, make("div.widget", null, make("span.dim", null, w.label), text), canvas),
    update: (x) => {
      text.textContent = x.points?.length ? digits(x.points.at(-1)[1]) : "–";
      const [only] = x.points ?? [],
        points = x.points?.length === 1 ? [only, [only[0] + 1, only[1]]] : x.points;
      if (points?.length) requestAnimationFrame(() => drawPlot(canvas, [{ points, style: "--accent" }]));
    },
  };
}
const KINDS = { value: valueWidget, label: labelWidget, button: buttonWidget, slider: sliderWidget, plot: plotWidget };

function drawWidgets(card, { error, widgets }) {
  const same = !error && card.kinds === widgets.map((w) => `${w.kind} ${w.label}`).join("\n");
  if (error) {
    card.kinds = null;
    card.body.replaceChildren(make("div.error", null, error));
    return;
  }
  if (!same) {
    card.kinds = widgets.map((w) => `${w.kind} ${w.label}`).join("\n");
    card.widgets = widgets.map((w) => (KINDS[w.kind] ?? labelWidget)(w, card));
    card.body.replaceChildren(
      ...(widgets.length ? card.widgets.map((x) => x.element) : [make("div.dim", null, "no widgets")]),
    );
  }
  widgets.forEach((w, i) => card.widgets[i].update(w));
}

// --- tables

function drawTable(card, table, error) {
  if (error) {
    card.body.replaceChildren(make("div.error", null, `${card.at}: ${error}`));
    return;
  }
  const numeric = table.rows.length > 1 && table.rows.some((row) => row.some((x) => typeof x === "number"));
  card.plots ??= card.plot;
  updateChildren(
    card.body,
    make(
      "div.dim",
      null,
      `${table.more ? "first " : ""}${table.rows.length} row${table.rows.length === 1 ? "" : "s"} `,
      numeric &&
        make(
          "button.plain",
          {
            onclick: () => {
              card.plots = !card.plots;
              drawTable(card, table);
            },
          },
          card.plots ? "Hide plot" : "Plot",
        ),
    ),
    ...(card.plots && numeric ? [plotRows(table.columns, table.rows)] : []),
    make("div.grid", null, foldedGrid(table.columns, table.rows, pick, card)),
  );
}

// --- cards

function subscribe(card) {
  if (card.end || folded.has(card.title)) return;
  card.end = card.sql
    ? follow({ what: "sql", text: card.sql, hz: 10, limit: 200 }, (table, error) => drawTable(card, table, error))
    : follow({ what: "panel", text: card.title, hz: 10 }, (panel, error) =>
        drawWidgets(card, panel ?? { error, widgets: [] }),
      );
}
function unsubscribe(card) {
  card.end?.();
  card.end = null;
}

function toggleFold(card) {
  const isFolded = !folded.has(card.title);
  if (isFolded) {
    folded.add(card.title);
    unsubscribe(card);
  } else {
    folded.delete(card.title);
    subscribe(card);
  }
  localStorage.setItem("panels-folded", JSON.stringify([...folded]));
  draw(card);
}
function draw(card) {
  const isFolded = folded.has(card.title);
  card.head.setAttribute("aria-expanded", !isFolded);
  card.head.firstChild.textContent = isFolded ? "▸ " : "▾ ";
  card.body.hidden = isFolded;
}
function makeCard(x) {
  const card = { ...x, body: make("div.inside") };
  card.head = make(
    "button.plain.game-panel-title",
    { onclick: () => toggleFold(card) },
    make("span.dim", null, ""),
    x.title,
  );
  card.element = make(
    "section.game-panel",
    null,
    make("div.head", null, card.head, make("span.dim", { title: "source location" }, x.at)),
    card.body,
  );
  card.element.dataset.title = x.title;
  draw(card);
  return card;
}

async function loadPanels() {
  const { panels } = await request("panels");
  cards.forEach(unsubscribe);
  cards = panels.map(makeCard);
  $("game-panels").replaceChildren(...cards.map((card) => card.element));
  $("no-panels").hidden = cards.length > 0;
  if (visible) cards.forEach(subscribe);
}

export function panel() {
  changes.addEventListener("loaded", () => loadPanels().catch(() => {}));
  return make(
    "div.panel",
    null,
    make(
      "div.scroll",
      null,
      make("div", { id: "game-panels" }),
      make(
        "div.empty",
        { id: "no-panels", hidden: true },
        make("p", null, "Your own tables, plots, sliders and buttons appear here. Add a panel in cockpit.lua:"),
        make("p", null, make("code", null, 'shoal.cockpit { title = "Rocks", sql = "SELECT …" }')),
      ),
    ),
  );
}
export function shown() {
  visible = true;
  cards.forEach(subscribe);
}
export function hidden() {
  visible = false;
  cards.forEach(unsubscribe);
}
