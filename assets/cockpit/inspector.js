// Inspector of the selected entity: a widget for each field, selected by the field's schema, and differences from the
// assemblage.
import { request, follow } from "./wire.js";
import { world, changes, pick, field, formatField, togglePin } from "./world.js";
import { $, make, updateChildren, format, showError, notify } from "./kit.js";
import { watch } from "./watch.js";
import { chooseAsset, chooseEntity } from "./choose.js";
import * as tuned from "./tuned.js";

let end,
  cards = new Map(),
  lastRemoved = "";
const loadSet = (key) => new Set(JSON.parse(localStorage.getItem(key) ?? "[]"));
const saveSet = (key, set) => localStorage.setItem(key, JSON.stringify([...set]));
const collapsed = loadSet("closed"),
  pinned = loadSet("pinned");

const keyOf = (x) => ({ entity: world.picked, component: x.component, instance: x.instance, field: x.field });
const busy = (input) => document.activeElement === input || input.dataset.held;
function send(x, value, goes_on) {
  if (x.sendValue) return x.sendValue(value); // an item of a list has its own function
  tuned.record(x, value);
  return request("set", { ...keyOf(x), value, goes_on }).catch(showError);
}
const isSame = (a, b) => a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b));
const differs = (x) => x.template !== null && x.template !== undefined && !isSame(x.template, x.value);

// --- widgets: each function returns [element, update], where update(value) shows a value

function numberInput(x, schema) {
  const whole = !/^f/.test(schema.type);
  const input = make("input.number", { type: "text", inputMode: "decimal", spellcheck: false, ariaLabel: x.field });
  const commit = () => {
    const value = Number(input.value);
    if (input.value.trim() === "" || Number.isNaN(value))
      return showError(new Error(`${x.component}.${x.field} must be a number, got “${input.value}”`));
    input.initial = input.value;
    send(x, value);
  };
  input.onkeydown = (event) => {
    if (event.key === "Enter") {
      commit();
      input.select();
    }
    if (event.key === "Escape") {
      input.value = input.initial;
      input.blur();
    }
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const by = (event.shiftKey ? 10 : 1) * (whole || Math.abs(Number(input.value)) >= 10 ? 1 : 0.1);
    input.value = String(Number((Number(input.value) + (event.key === "ArrowUp" ? by : -by)).toPrecision(7)));
    commit();
  };
  input.onfocus = () => {
    input.initial = input.value;
    input.select();
  };
  input.onchange = () => {
    if (input.value !== input.initial) commit();
  };
  return [
    input,
    (value) => {
      if (!busy(input)) {
        input.value = format(value);
        input.title = input.value;
      }
    },
  ];
}

function rangeInput(x, schema) {
  const whole = !/^f/.test(schema.type);
  const input = make("input", {
    type: "range",
    min: schema.min,
    max: schema.max,
    step: whole ? 1 : (schema.max - schema.min) / 400,
    ariaLabel: x.field,
    title: `${schema.min} … ${schema.max}`,
  });
  input.onpointerdown = () => {
    input.dataset.held = "1";
    send(x, Number(input.value));
  }; // begins an undo step; the values sent while dragging belong to the same step
  input.onpointerup = () => {
    delete input.dataset.held;
  };
  input.oninput = () => send(x, Number(input.value), input.dataset.held === "1");
  return [
    input,
    (value) => {
      if (!busy(input)) input.value = value;
    },
  ];
}

function matrixView() {
  const element = make("span.value.matrix");
  return [
    element,
    (value) => {
      element.textContent = Array.isArray(value)
        ? [0, 1, 2, 3]
            .map((r) => [0, 1, 2, 3].map((c) => format(Number(value[c * 4 + r].toPrecision(3))).padStart(7)).join(""))
            .join("\n")
        : format(value);
    },
  ];
}

// Widget for a string. For an asset, also previews the image or sound, and opens a dialog to choose another asset.
function textInput(x, schema) {
  const input = make("input", {
    type: "text",
    ariaLabel: x.field,
    spellcheck: false,
    onchange: () => send(x, input.value),
  });
  if (schema.type !== "asset")
    return [
      input,
      (value) => {
        if (!busy(input)) input.value = value;
      },
    ];
  const picture = make("img.thumb", { hidden: true, alt: "", onclick: () => choose() }),
    audio = new Audio();
  picture.onload = () => {
    picture.hidden = false;
    picture.title = `${picture.naturalWidth} × ${picture.naturalHeight}: choose another image`;
  };
  picture.onerror = () => {
    picture.hidden = true;
  };
  const playButton = make(
    "button.plain.play",
    {
      title: "play this sound",
      hidden: true,
      onclick: () => {
        audio.paused ? audio.play().catch(showError) : audio.pause();
      },
    },
    "▶",
  );
  const choose = () =>
    chooseAsset(`${x.component}.${x.field}`, x.value, (value) => {
      input.value = value;
      send(x, value);
    }).catch(showError);
  return [
    make(
      "span.parts",
      null,
      picture,
      playButton,
      input,
      make("button.plain.choose", { title: "choose an asset", ariaLabel: `choose ${x.field}`, onclick: choose }, "…"),
    ),
    (value) => {
      if (!busy(input)) input.value = value;
      if (picture.named === value) return;
      picture.named = value;
      picture.hidden = true;
      playButton.hidden = !/\.(wav|ogg|mp3|flac|opus)$/i.test(value);
      audio.pause();
      if (!playButton.hidden) audio.src = `assets/${encodeURI(value)}`;
      if (/\.(png|jpe?g|svg)$/i.test(value)) picture.src = `assets/${encodeURI(value)}`;
    },
  ];
}

function entityInput(x, schema) {
  const [input, update] = numberInput(x, schema),
    openButton = make("button.plain.link", { title: "select this entity" });
  const choose = () => chooseEntity(`${x.component}.${x.field}`, x.value, (value) => send(x, value));
  let shown;
  const showTarget = async (value) => {
    const {
      rows: [row],
    } = await request("sql", { text: "SELECT name, assemblage FROM entities WHERE entity = ?", parameters: [value] });
    if (shown === value) openButton.textContent = `→ ${row ? row[0] || row[1] || "entity" : "destroyed"}`;
  };
  return [
    make(
      "span.parts",
      null,
      input,
      openButton,
      make("button.plain.choose", { title: "choose an entity", ariaLabel: `choose ${x.field}`, onclick: choose }, "…"),
    ),
    (value) => {
      update(value);
      if (value === shown) return;
      shown = value;
      openButton.hidden = !value;
      openButton.textContent = "→";
      openButton.onclick = () => pick(value);
      if (value) showTarget(value).catch(() => {});
    },
  ];
}

// A set of collision layers: one checkbox per name. Bits without a name keep their values.
function layersInput(x, schema) {
  let bits = 0;
  const boxes = schema.layers.map((name, i) =>
    make("input", {
      type: "checkbox",
      ariaLabel: `${x.field} ${name}`,
      onchange: () => send(x, (bits ^ (1 << i)) >>> 0),
    }),
  );
  return [
    make("span.parts.layers", null, ...boxes.map((box, i) => make("label", null, box, schema.layers[i]))),
    (value) => {
      bits = value;
      boxes.forEach((box, i) => {
        box.checked = Math.floor(bits / 2 ** i) % 2 === 1;
      });
    },
  ];
}

// Returns the value that the button + appends to a list.
function initialValue(of) {
  if (of.type === "bool") return false;
  if (of.type === "string" || of.type === "asset") return "";
  if (of.type === "enum") return of.choices[0];
  return Math.min(of.max ?? 0, Math.max(of.min ?? 0, 0));
}

// A list: a widget for each value, a button that removes it, and a button that appends a value.
// A second edit may follow before the game has reported the first one: edits change `values`, which contains all edits
// that were sent. `reported`: the values that the game last sent.
function listInput(x, schema) {
  let values = [],
    reported = [],
    pending = 0,
    updates = [];
  const change = async (list) => {
    values = list;
    pending += 1;
    const isAccepted = await send(x, list);
    pending -= 1;
    if (!isAccepted) values = reported;
  };
  const element = make("span.parts.list");
  const addButton = make(
    "button.plain.add",
    {
      title: "append a value",
      ariaLabel: `append to ${x.field}`,
      onclick: () => change([...values, initialValue(schema.of)]),
    },
    "+",
  );
  const replaceValue = (i, value) => change(values.map((old, k) => (k === i ? value : old)));
  const createValue = (value, i) => {
    const item = { ...x, field: `${x.field}[${i + 1}]`, value, sendValue: (now) => replaceValue(i, now) };
    const [widget, update] = widgetFor(item, schema.of);
    updates.push(update);
    const removeButton = make(
      "button.plain.remove",
      {
        title: "remove this value",
        ariaLabel: `remove ${item.field}`,
        onclick: () => change(values.filter((_, k) => k !== i)),
      },
      "×",
    );
    return make("span.item", null, widget, removeButton);
  };
  return [
    element,
    (now) => {
      const isNewLength = now.length !== updates.length;
      reported = now;
      if (pending === 0) values = now;
      if (isNewLength || !element.firstChild) {
        updates = [];
        element.replaceChildren(...now.map(createValue), addButton);
      }
      addButton.hidden = now.length >= schema.capacity;
      updates.forEach((update, i) => update(now[i]));
    },
  ];
}

function widgetFor(x, schema) {
  if (schema.type === "list") return listInput(x, schema);
  if (schema.read_only || schema.type === "mat4") return matrixView();
  if (schema.type === "bool") {
    const input = make("input", { type: "checkbox", ariaLabel: x.field, onchange: () => send(x, input.checked) });
    return [
      input,
      (value) => {
        input.checked = value;
      },
    ];
  }
  if (schema.type === "enum") {
    const input = make(
      "select",
      { ariaLabel: x.field, onchange: () => send(x, input.value) },
      schema.choices.map((c) => make("option", null, c)),
    );
    return [
      input,
      (value) => {
        input.value = value;
      },
    ];
  }
  if (schema.layers) return layersInput(x, schema);
  if (schema.type === "string" || schema.type === "asset") return textInput(x, schema);
  if (schema.type === "entity") return entityInput(x, schema);
  const [input, update] = numberInput(x, schema);
  if (schema.min === undefined || schema.max === undefined) return [input, update];
  const [range, move] = rangeInput(x, schema);
  return [
    make("span.parts", null, range, input),
    (value) => {
      update(value);
      move(value);
    },
  ];
}

const hex = (part) =>
  Math.round(Math.max(0, Math.min(1, part)) * 255)
    .toString(16)
    .padStart(2, "0");

// Names of vectors that are colours: schemas have no type for them (engine/view/overlay/dev_overlay_fields.c).
const COLOURS = /colou?r|tint|background|outline|shadow|flash/;

function swatch(parts) {
  const input = make("input", { type: "color", ariaLabel: "colour" });
  input.oninput = () =>
    [1, 3, 5].forEach((at, i) =>
      send(parts[i], Number((parseInt(input.value.slice(at, at + 2), 16) / 255).toFixed(3)), at > 1),
    );
  return [
    input,
    () => {
      if (!busy(input))
        input.value = `#${parts
          .slice(0, 3)
          .map((x) => hex(x.value))
          .join("")}`;
    },
  ];
}

// Lets the user change a number by dragging its label.
function enableDrag(label, x, schema) {
  if (!/^[fiu]\d/.test(schema.type) || schema.layers || schema.read_only) return;
  label.classList.add("drag");
  label.onpointerdown = (event) => {
    const from = event.clientX,
      initial = x.value,
      unit = Math.max(Math.abs(initial), schema.max ? (schema.max - (schema.min ?? 0)) / 4 : 1) / 100;
    let last = null;
    label.setPointerCapture(event.pointerId);
    label.onpointermove = (moved) => {
      const raw = initial + (moved.clientX - from) * unit,
        step = 10 ** Math.floor(Math.log10(unit));
      const rounded = /^f/.test(schema.type) ? Number((Math.round(raw / step) * step).toPrecision(6)) : Math.round(raw);
      const value = Math.min(schema.max ?? Infinity, Math.max(schema.min ?? -Infinity, rounded));
      if (value === (last ?? initial)) return;
      send(x, value, last !== null);
      last = value;
    };
    label.onpointerup = () => {
      label.onpointermove = null;
    };
  };
}

// --- a component

function togglePinnedField(what) {
  pinned.has(what) ? pinned.delete(what) : pinned.add(what);
  saveSet("pinned", pinned);
  redraw();
}

// Creates the buttons next to a field: pin and, if the value differs from the assemblage's, reset and write back.
function fieldButtons(parts, what) {
  const pin = make(
    "button.plain.pin",
    { title: pinned.has(what) ? "unpin this field" : "pin this field", onclick: () => togglePinnedField(what) },
    pinned.has(what) ? "★" : "☆",
  );
  const resetButton = make(
    "button.plain.back",
    {
      title: "",
      onclick: () =>
        parts.filter(differs).forEach((x) => {
          tuned.forget(x);
          request("revert", keyOf(x)).catch(showError);
        }),
    },
    "↺",
  );
  const writeButton = make(
    "button.plain.into",
    { title: "write this value to its source file", onclick: () => tuned.write(parts.find(differs) ?? parts[0]) },
    "⤓",
  );
  return {
    element: make("span.actions", null, resetButton, writeButton, pin),
    update: () => {
      const differing = parts.filter(differs);
      resetButton.hidden = writeButton.hidden = differing.length === 0;
      const values = parts.map((x) => formatField(x.component, x.field, x.template));
      resetButton.title = `reset to the assemblage's value: ${values.join(", ")}`;
    },
  };
}

// Names of the records that contain a field: ["look", "colors"] of look.colors.r.
const recordsOf = (path) => path.split(".").slice(0, -1);

// Returns a field's type, unit and range in words.
function describeType(schema) {
  const type = schema.type === "list" ? `list of up to ${schema.capacity} values, ${schema.of.type}` : schema.type;
  const range = schema.min !== undefined && `${schema.min} … ${schema.max ?? "∞"}`;
  return [type, schema.unit, range].filter(Boolean).join(", ");
}

// `owner`: component to show before the path; without it, the row is below the titles of its records.
function fieldRow(path, parts, owner) {
  const schema = field(parts[0].component, parts[0].field) ?? { type: "string" },
    what = `${parts[0].component}.${path}`;
  const label = make(
    "label",
    { title: [schema.doc, describeType(schema), "drag to change, double-click to plot"].filter(Boolean).join("\n") },
    owner ? make("span.owner", null, `${owner}.`) : null,
    owner ? path : path.split(".").at(-1),
  );
  label.ondblclick = () => watch(`${parts[0].component}.${parts[0].field}`);
  enableDrag(label, parts[0], schema);
  const widgets = parts.map((x) => widgetFor(x, field(x.component, x.field) ?? schema)),
    isWritable = !schema.read_only && schema.type !== "mat4";
  if (parts.length >= 3 && COLOURS.test(path)) widgets.unshift(swatch(parts));
  const buttons = fieldButtons(parts, what);
  const row = make(
    `div.field${parts.length > 2 ? ".wide" : ""}`,
    null,
    label,
    make(
      "span.parts",
      null,
      widgets.map(([element]) => element),
      schema.unit && make("span.unit", null, schema.unit),
    ),
    isWritable && buttons.element,
  );
  if (!owner) row.style.setProperty("--depth", recordsOf(path).length);
  return {
    row,
    path: what,
    records: recordsOf(path),
    update: () => {
      row.classList.toggle(
        "touched",
        parts.some((x) => x.touched),
      );
      row.classList.toggle("differs", parts.some(differs));
      buttons.update();
      widgets.forEach(([, update], i) => update(parts[widgets.length > parts.length ? i - 1 : i]?.value));
    },
  };
}

function groupsOf(fields) {
  const groups = new Map();
  for (const x of fields) {
    const head = x.field.replace(/\.[xyzw]$/, "");
    groups.set(head, [...(groups.get(head) ?? []), x]);
  }
  return [...groups].map(([head, parts]) => [parts.length > 1 ? head : parts[0].field, parts]);
}

// Creates the titles of nested records: one before the first row of each record. `rows`: rows of the record, which are
// consecutive. Returns the titles, and the elements of titles and rows in order.
function addRecordTitles(rows) {
  const titles = [],
    elements = [];
  let open = []; // titles of the records that contain the current row
  for (const row of rows) {
    const isSame = (title, depth) => title.name === row.records[depth];
    const common = open.findIndex((title, depth) => !isSame(title, depth));
    open = common < 0 ? open.slice(0, row.records.length) : open.slice(0, common);
    for (let depth = open.length; depth < row.records.length; ++depth) {
      const element = make("div.record", { title: row.records.slice(0, depth + 1).join(".") }, row.records[depth]);
      element.style.setProperty("--depth", depth);
      open.push({ name: row.records[depth], element, rows: [] });
      titles.push(open.at(-1));
      elements.push(element);
    }
    open.forEach((title) => title.rows.push(row));
    elements.push(row.row);
  }
  return [titles, elements];
}

// Returns the description of a component and the names of the components that it requires.
function describeComponent(name) {
  const schema = world.byName.get(name),
    required = schema?.requires ? `requires ${schema.requires.join(", ")}` : "";
  return [schema?.doc, required].filter(Boolean).join("\n");
}

function componentCard(x) {
  const { component, instance, fields } = x,
    id = `${component} ${instance}`;
  const rows = groupsOf(fields).map(([path, parts]) => fieldRow(path, parts)),
    [titles, elements] = addRecordTitles(rows);
  const withoutBubbling = (action) => (event) => {
    event.stopPropagation();
    action();
  };
  const resetButton = make(
    "button.plain.back",
    {
      title: `reset ${component} to the assemblage's values`,
      hidden: true,
      onclick: withoutBubbling(() => {
        fields.forEach(tuned.forget);
        request("revert", { entity: world.picked, component, instance }).catch(showError);
      }),
    },
    "↺",
  );
  const remove = make(
    "button.plain.danger",
    {
      title: `remove ${component}`,
      onclick: withoutBubbling(() => request("remove", { entity: world.picked, component, instance }).catch(showError)),
    },
    "×",
  );
  const count = make("span.count");
  const element = make(
    `div.component${collapsed.has(component) ? ".closed" : ""}`,
    null,
    make(
      "h3",
      {
        title: describeComponent(component),
        tabIndex: 0,
        onclick: () => {
          element.classList.toggle("closed") ? collapsed.add(component) : collapsed.delete(component);
          saveSet("closed", collapsed);
        },
        onkeydown: (event) => {
          if (event.key === "Enter" && event.target.tagName === "H3") event.target.click();
        },
      },
      component,
      instance && make("span.instance", null, instance),
      x.part === "added" && make("span.tag", { title: "not in the assemblage" }, "added"),
      count,
      make("span.actions", null, resetButton, remove),
    ),
    make("div.fields", null, elements),
  );
  return {
    key: id,
    element,
    fields,
    rows,
    titles,
    update: () => {
      const differing = fields.filter(differs).length;
      count.textContent = differing ? `${differing} ≠` : "";
      count.title = differing
        ? `${differing} field${differing === 1 ? " differs" : "s differ"} from the assemblage`
        : "";
      resetButton.hidden = differing === 0;
      rows.forEach((row) => row.update());
    },
  };
}

function componentGroup(table) {
  const found = new Map(),
    removed = [];
  for (const [component, instance, path, value, touched, template, part] of table.rows) {
    if (part === "missing") {
      removed.push([component, instance]);
      continue;
    }
    const id = `${component} ${instance}`;
    if (!found.has(id)) found.set(id, { component, instance, part, fields: [] });
    if (path !== null) found.get(id).fields.push({ component, instance, field: path, value, touched, template });
  }
  return [found, removed];
}

function removedComponents(removed) {
  if (removed.length === 0) return null;
  return make(
    "div.absent",
    null,
    make("span.dim", null, "removed components: "),
    removed.map(([component, instance]) =>
      make(
        "button.plain",
        {
          title: `restore ${component}`,
          onclick: () =>
            request("add", { entity: world.picked, component, instance })
              .then(() => request("revert", { entity: world.picked, component, instance }))
              .catch(showError),
        },
        `+ ${component}${instance ? ` ${instance}` : ""}`,
      ),
    ),
  );
}

// Pinned fields, shown for every entity.
function pinnedCard() {
  const rows = [...cards.values()].flatMap((x) =>
    groupsOf(x.fields)
      .filter(([path]) => pinned.has(`${x.fields[0].component}.${path}`))
      .map(([path, parts]) => fieldRow(path, parts, parts[0].component)),
  );
  if (rows.length === 0) return null;
  return {
    element: make(
      "div.component.above",
      null,
      make("h3", null, "pinned"),
      make(
        "div.fields",
        null,
        rows.map((x) => x.row),
      ),
    ),
    update: () => rows.forEach((x) => x.update()),
  };
}

let pinnedSection = null;

function applyFilter() {
  const terms = ($("field-filter")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  for (const x of cards.values()) {
    const inName = terms.every((word) => x.key.includes(word));
    let anyVisible = inName;
    x.rows.forEach((row) => {
      const isMatch = inName || terms.every((word) => row.path.includes(word));
      row.row.hidden = !isMatch;
      anyVisible ||= isMatch;
    });
    x.titles.forEach((title) => {
      title.element.hidden = title.rows.every((row) => row.row.hidden);
    });
    x.element.hidden = !anyVisible;
    x.element.classList.toggle("found", terms.length > 0 && anyVisible);
  }
}

let lastHead = { entity: 0, row: [] }; // name, assemblage and state of the entity that the head showed last

function entityHead() {
  const known = new Set([...cards.values()].map((x) => x.key.split(" ")[0]));
  const add = make(
    "select",
    {
      title: "add a component",
      ariaLabel: "add a component",
      onchange: () => {
        request("add", { entity: world.picked, component: add.value }).catch(showError);
        add.value = "";
      },
      onkeydown: (event) => {
        // arrow keys open the list instead of changing the choice directly
        if (!/^(ArrowUp|ArrowDown|Enter)$/.test(event.key)) return;
        event.preventDefault();
        add.showPicker?.();
      },
    },
    make("option", { value: "" }, "+ component"),
    world.schema.components
      .filter((x) => x.kind === "many" || (x.kind !== "single" && !known.has(x.name)))
      .map((x) => make("option", null, x.name)),
  );
  const title = make("span"),
    kind = make("span.dim"),
    buttons = [
      ["Duplicate", duplicate, "Ctrl D"],
      ["Destroy", destroy, "Del"],
      ["Undo", undo, "Ctrl Z"],
    ];
  const pin = make(
    "button.plain.pin",
    {
      title: "pin this entity above the list",
      onclick: () => {
        togglePin(world.picked, title.textContent);
      },
    },
    "☆",
  );
  const entity = world.picked;
  const show = ([label, assemblage, state]) => {
    title.textContent = label || assemblage || "entity";
    kind.textContent = [label && assemblage, state].filter(Boolean).join(" · ");
  };
  // The head is drawn again whenever components are added or removed: show the last answer until the next arrives.
  if (lastHead.entity === entity) show(lastHead.row);
  request("sql", { text: "SELECT name, assemblage, state FROM entities WHERE entity = ?", parameters: [entity] })
    .then(({ rows: [row] }) => {
      if (!row) return;
      lastHead = { entity, row };
      show(row);
    })
    .catch(() => {});
  const filter = make("input", {
    id: "field-filter",
    type: "search",
    placeholder: "search fields",
    ariaLabel: "search fields",
    spellcheck: false,
    oninput: applyFilter,
    value: $("field-filter")?.value ?? "",
  });
  return make(
    "div.entity-head",
    null,
    make("h2", null, title, kind, make("span.id", null, `#${world.picked}`), pin),
    make(
      "div.actions",
      null,
      buttons.map(([label, onclick, title]) =>
        make(`button${label === "Destroy" ? ".danger" : ""}`, { onclick, title }, label),
      ),
      add,
      filter,
    ),
  );
}

export async function duplicate() {
  if (!world.picked) return;
  try {
    const { result } = await request("duplicate", { entity: world.picked });
    pick(Number(result));
    notify(`Duplicated as #${result}`);
  } catch (error) {
    showError(error);
  }
}
export const destroy = () => world.picked && request("destroy", { entity: world.picked }).catch(showError);
export async function undo() {
  try {
    const { result } = await request("undo");
    notify("Undone");
    // an edit that is undone immediately is never reported by the subscription: reset its input
    if (lastTable) draw(lastTable);
    // a destroyed entity was re-created with this id
    if (/^\d+$/.test(result ?? "") && Number(result) > 0) pick(Number(result));
  } catch (error) {
    showError(error);
  }
}

let lastTable = null;

function redraw() {
  cards = new Map();
  if (lastTable) draw(lastTable);
}

function draw(table) {
  lastTable = table;
  const [found, removed] = componentGroup(table),
    removedKey = JSON.stringify(removed);
  const same =
    cards.size === found.size &&
    removedKey === lastRemoved &&
    [...found].every(([id, x]) => cards.get(id)?.fields.length === x.fields.length);
  if (!same) {
    const top = $("inspector").querySelector(".scroll")?.scrollTop ?? 0;
    lastRemoved = removedKey;
    cards = new Map([...found].map(([id, x]) => [id, componentCard(x)]));
    pinnedSection = pinnedCard();
    updateChildren(
      $("inspector"),
      entityHead(),
      make(
        "div.scroll",
        null,
        pinnedSection?.element,
        [...cards.values()].map((x) => x.element),
        removedComponents(removed),
      ),
      tuned.tray(),
    );
    $("inspector").querySelector(".scroll").scrollTop = top;
    applyFilter();
  }
  for (const [id, x] of found) {
    x.fields.forEach((from, i) => Object.assign(cards.get(id).fields[i], from));
    cards.get(id).update();
  }
  pinnedSection?.update();
}

function showEmpty(text) {
  cards = new Map();
  lastTable = null;
  $("inspector").replaceChildren(make("div.empty", null, text), tuned.tray());
}

const MAX_TICKS_BACK = 240; // ticks before the notice of a destruction in which the exact tick is looked up
let destroyedAt = null; // first tick without the selected entity, which is destroyed; null if it is alive

// Returns the first tick in which the entity was missing, or undefined if the history does not contain this tick.
async function findDestruction(entity) {
  const { rows } = await request("over_time", {
    texts: [`SELECT count(*) FROM entities WHERE entity = ${entity}`],
    back: MAX_TICKS_BACK,
    ahead: 0,
  });
  const last = rows.findLastIndex((row) => row[1] === 1);
  return last < 0 ? undefined : rows[last + 1]?.[0];
}

const describeDestruction = (entity, when) =>
  `#${entity} was destroyed ${when}. Select another entity, or go back in time.`;

// Shows that the selected entity is destroyed: by the current tick, until the exact one is found in the history.
async function showDestroyed() {
  const entity = world.picked;
  destroyedAt = world.state.tick;
  showEmpty(describeDestruction(entity, `by tick ${destroyedAt}`));
  const tick = await findDestruction(entity).catch(() => undefined);
  if (tick === undefined || destroyedAt === null || entity !== world.picked) return;
  destroyedAt = tick;
  $("inspector").querySelector(".empty").textContent = describeDestruction(entity, `at tick ${tick}`);
}

function followSelected() {
  end?.();
  end = null;
  cards = new Map();
  destroyedAt = null;
  if (!world.picked)
    return showEmpty("Select an entity on the left or on the map to edit its fields while the game runs.");
  end = follow({ what: "entity", entity: world.picked, hz: 20 }, (table, error) =>
    error ? showDestroyed() : draw(table),
  );
}

export function init() {
  changes.addEventListener("picked", followSelected);
  changes.addEventListener("loaded", followSelected);
  changes.addEventListener("state", () => {
    if (destroyedAt !== null && world.state.tick < destroyedAt) followSelected();
  });
  followSelected();
}
