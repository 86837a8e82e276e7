// The picked entity: its components, with a widget for each field as its schema says.
import { ask, follow } from "./wire.js";
import { world, changes, pick, field } from "./world.js";
import { $, make, show, complain, tell } from "./kit.js";
import { watch } from "./watch.js";

let end, cards = new Map();
const closed = new Set(JSON.parse(localStorage.getItem("closed") ?? "[]"));

const send = (x, value, goes_on) => ask("set", { entity: world.picked, component: x.component, instance: x.instance, field: x.field, value, goes_on }).catch(complain);
const busy = (input) => document.activeElement === input || input.dataset.held;

// --- widgets: each gives its element and a function that shows a value

function numberInput(x, schema) {
  const whole = !/^f/.test(schema.type);
  const input = make("input.number", { type: "text", inputMode: "decimal", spellcheck: false, ariaLabel: x.field });
  const commit = () => {
    const value = Number(input.value);
    if (input.value.trim() === "" || Number.isNaN(value)) return complain(new Error(`${x.component}.${x.field} takes a number`));
    input.was = input.value;
    send(x, value);
  };
  input.onkeydown = (event) => {
    if (event.key === "Enter") { commit(); input.select(); }
    if (event.key === "Escape") { input.value = input.was; input.blur(); }
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const by = (event.shiftKey ? 10 : 1) * (whole || Math.abs(Number(input.value)) >= 10 ? 1 : 0.1);
    input.value = String(Number((Number(input.value) + (event.key === "ArrowUp" ? by : -by)).toPrecision(7)));
    commit();
  };
  input.onfocus = () => { input.was = input.value; input.select(); };
  input.onchange = () => { if (input.value !== input.was) commit(); };
  return [input, (value) => { if (!busy(input)) { input.value = show(value); input.title = input.value; } }];
}

function slider(x, schema) {
  const whole = !/^f/.test(schema.type);
  const input = make("input", { type: "range", min: schema.min, max: schema.max, step: whole ? 1 : (schema.max - schema.min) / 400, ariaLabel: x.field, title: `${schema.min} … ${schema.max}` });
  input.onpointerdown = () => { input.dataset.held = "1"; send(x, Number(input.value)); }; // undone as one
  input.onpointerup = () => { delete input.dataset.held; };
  input.oninput = () => send(x, Number(input.value), input.dataset.held === "1");
  return [input, (value) => { if (!busy(input)) input.value = value; }];
}

function plain(x, schema) {
  if (schema.read_only || schema.type === "mat4") {
    const element = make("span.value.matrix");
    return [element, (value) => { element.textContent = Array.isArray(value) ? [0, 1, 2, 3].map((r) => [0, 1, 2, 3].map((c) => show(Number(value[c * 4 + r].toPrecision(3))).padStart(7)).join("")).join("\n") : show(value); }];
  }
  if (schema.type === "bool") {
    const input = make("input", { type: "checkbox", ariaLabel: x.field, onchange: () => send(x, input.checked) });
    return [input, (value) => { input.checked = value; }];
  }
  if (schema.type === "enum") {
    const input = make("select", { ariaLabel: x.field, onchange: () => send(x, input.value) }, schema.choices.map((c) => make("option", null, c)));
    return [input, (value) => { input.value = value; }];
  }
  if (schema.type === "string" || schema.type === "asset") {
    const input = make("input", { type: "text", ariaLabel: x.field, spellcheck: false, onchange: () => send(x, input.value) });
    return [input, (value) => { if (!busy(input)) input.value = value; }];
  }
  const [input, put] = numberInput(x, schema);
  if (schema.type === "entity") {
    const go = make("button.plain", { title: "go there" }, "→");
    return [make("span.parts", null, input, go), (value) => { put(value); go.disabled = !value; go.onclick = () => pick(value); }];
  }
  if (schema.min === undefined || schema.max === undefined) return [input, put];
  const [range, move] = slider(x, schema);
  return [make("span.parts", null, range, input), (value) => { put(value); move(value); }];
}

const hex = (part) => Math.round(Math.max(0, Math.min(1, part)) * 255).toString(16).padStart(2, "0");

function swatch(parts) {
  const input = make("input", { type: "color", ariaLabel: "colour" });
  input.oninput = () => [1, 3, 5].forEach((at, i) => send(parts[i], parseInt(input.value.slice(at, at + 2), 16) / 255, at > 1));
  return [input, () => { if (!busy(input)) input.value = `#${parts.slice(0, 3).map((x) => hex(x.value)).join("")}`; }];
}

// Dragging the label of a number changes it.
function drags(label, x, schema) {
  if (!/^[fiu]\d/.test(schema.type) || schema.read_only) return;
  label.classList.add("drag");
  label.onpointerdown = (event) => {
    const from = event.clientX, was = x.value, unit = Math.max(Math.abs(was), schema.max ? (schema.max - (schema.min ?? 0)) / 4 : 1) / 100;
    let last = 0;
    label.setPointerCapture(event.pointerId);
    label.onpointermove = (moved) => {
      const raw = was + (moved.clientX - from) * unit, value = /^f/.test(schema.type) ? Number(raw.toPrecision(6)) : Math.round(raw);
      if (value === last) return;
      send(x, Math.min(schema.max ?? Infinity, Math.max(schema.min ?? -Infinity, value)), last !== 0);
      last = value || 1e-9;
    };
    label.onpointerup = () => { label.onpointermove = null; };
  };
}

// --- a component

function fieldRow(called, parts) {
  const schema = field(parts[0].component, parts[0].field) ?? { type: "string" };
  const label = make("label", { title: [schema.doc, `${schema.type}${schema.unit ? `, ${schema.unit}` : ""}`, "double click: plot"].filter(Boolean).join("\n") }, called);
  label.ondblclick = () => watch(`${parts[0].component}.${parts[0].field}`);
  drags(label, parts[0], schema);
  const widgets = parts.map((x) => plain(x, field(x.component, x.field) ?? schema));
  if (parts.length >= 3 && /colou?r/.test(called)) widgets.unshift(swatch(parts));
  const row = make("div.field", null, label, make("span.parts", null, widgets.map(([element]) => element), schema.unit && make("span.unit", null, schema.unit)));
  return { row, put: () => {
    row.classList.toggle("touched", parts.some((x) => x.touched));
    widgets.forEach(([, put], i) => put(parts[widgets.length > parts.length ? i - 1 : i]?.value));
  } };
}

function card(component, instance, fields) {
  const key = `${component} ${instance}`, groups = new Map();
  for (const x of fields) {
    const head = x.field.replace(/\.\w+$/, "");
    groups.set(head, [...(groups.get(head) ?? []), x]);
  }
  const rows = [...groups].map(([head, parts]) => fieldRow(parts.length > 1 ? head : parts[0].field, parts));
  const remove = make("button.plain.danger", { title: `remove ${component}`, onclick: (event) => { event.stopPropagation(); ask("remove", { entity: world.picked, component, instance }).catch(complain); } }, "×");
  const element = make(`div.component${closed.has(component) ? ".closed" : ""}`, null,
    make("h3", { title: world.byName.get(component)?.doc ?? "", onclick: () => {
      element.classList.toggle("closed") ? closed.add(component) : closed.delete(component);
      localStorage.setItem("closed", JSON.stringify([...closed]));
    } }, component, instance && make("span.instance", null, instance), remove),
    make("div.fields", null, rows.map((x) => x.row)));
  return { key, element, fields, put: () => rows.forEach((x) => x.put()) };
}

function read(table) {
  const found = new Map();
  for (const [component, instance, called, value, touched] of table.rows) {
    const key = `${component} ${instance}`;
    if (!found.has(key)) found.set(key, { component, instance, fields: [] });
    if (called !== null) found.get(key).fields.push({ component, instance, field: called, value, touched });
  }
  return found;
}

function head() {
  const known = new Set([...cards.values()].map((x) => x.key.split(" ")[0]));
  const add = make("select", { title: "add a component", ariaLabel: "add a component", onchange: () => { ask("add", { entity: world.picked, component: add.value }).catch(complain); add.value = ""; } },
    make("option", { value: "" }, "+ component"), world.schema.components.filter((x) => x.kind !== "single" && !known.has(x.name)).map((x) => make("option", null, x.name)));
  const title = make("span"), deeds = [["Duplicate", duplicate], ["Destroy", destroy], ["Undo", undo]];
  ask("sql", { text: "SELECT name, assemblage, state FROM entities WHERE entity = ?", parameters: [world.picked] })
    .then(({ rows: [row] }) => { if (row) title.textContent = [row[0], row[1], row[2]].filter(Boolean).join(" · ") || "entity"; }).catch(() => {});
  return make("div.who", null, make("h2", null, title, make("span.id", null, `#${world.picked}`)),
    make("div.deeds", null, add, deeds.map(([word, deed]) => make(`button${word === "Destroy" ? ".danger" : ""}`, { onclick: deed }, word))));
}

export async function duplicate() {
  if (!world.picked) return;
  try { const { result } = await ask("duplicate", { entity: world.picked }); pick(Number(result)); tell(`#${result} is its double`); } catch (error) { complain(error); }
}
export const destroy = () => world.picked && ask("destroy", { entity: world.picked }).catch(complain);
export const undo = () => ask("undo").then(() => tell("Undone")).catch(complain);

function draw(table) {
  const found = read(table), same = cards.size === found.size && [...found].every(([key, x]) => cards.get(key)?.fields.length === x.fields.length);
  if (!same) {
    cards = new Map([...found].map(([key, x]) => [key, card(x.component, x.instance, x.fields)]));
    $("inspector").replaceChildren(head(), make("div.scroll", null, [...cards.values()].map((x) => x.element)));
  }
  for (const [key, x] of found) {
    x.fields.forEach((from, i) => Object.assign(cards.get(key).fields[i], from));
    cards.get(key).put();
  }
}

function empty(words) { cards = new Map(); $("inspector").replaceChildren(make("div.empty", null, words)); }

function begun() {
  end?.();
  end = null;
  cards = new Map();
  if (!world.picked) return empty("Pick an entity on the left: its fields can be changed while the game runs.");
  end = follow({ what: "entity", entity: world.picked, hz: 20 }, (table, error) => (error ? empty(`#${world.picked} is not there any more.`) : draw(table)));
}

export function begin() {
  changes.addEventListener("picked", begun);
  changes.addEventListener("learned", begun);
  begun();
}
