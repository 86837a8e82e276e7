// Inspector of the selected entity: a widget for each field, chosen by its schema, and the differences from its
// assemblage.
import { ask, follow } from "./wire.js";
import { world, changes, pick, field, togglePin } from "./world.js";
import { $, make, refill, show, complain, tell } from "./kit.js";
import { watch } from "./watch.js";
import { chooseAsset, chooseEntity } from "./choose.js";
import * as tuned from "./tuned.js";

let end,
  cards = new Map(),
  missing = "";
const read = (key) => new Set(JSON.parse(localStorage.getItem(key) ?? "[]"));
const keep = (key, set) => localStorage.setItem(key, JSON.stringify([...set]));
const closed = read("closed"),
  pinned = read("pinned");

const key = (x) => ({ entity: world.picked, component: x.component, instance: x.instance, field: x.field });
const busy = (input) => document.activeElement === input || input.dataset.held;
function send(x, value, goes_on) {
  tuned.note(x, value);
  return ask("set", { ...key(x), value, goes_on }).catch(complain);
}
const differs = (x) => x.template !== null && x.template !== undefined && x.template !== x.value;

// --- widgets: each gives its element and a function that shows a value

function numberInput(x, schema) {
  const whole = !/^f/.test(schema.type);
  const input = make("input.number", { type: "text", inputMode: "decimal", spellcheck: false, ariaLabel: x.field });
  const commit = () => {
    const value = Number(input.value);
    if (input.value.trim() === "" || Number.isNaN(value))
      return complain(new Error(`${x.component}.${x.field} must be a number`));
    input.was = input.value;
    send(x, value);
  };
  input.onkeydown = (event) => {
    if (event.key === "Enter") {
      commit();
      input.select();
    }
    if (event.key === "Escape") {
      input.value = input.was;
      input.blur();
    }
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const by = (event.shiftKey ? 10 : 1) * (whole || Math.abs(Number(input.value)) >= 10 ? 1 : 0.1);
    input.value = String(Number((Number(input.value) + (event.key === "ArrowUp" ? by : -by)).toPrecision(7)));
    commit();
  };
  input.onfocus = () => {
    input.was = input.value;
    input.select();
  };
  input.onchange = () => {
    if (input.value !== input.was) commit();
  };
  return [
    input,
    (value) => {
      if (!busy(input)) {
        input.value = show(value);
        input.title = input.value;
      }
    },
  ];
}

function slider(x, schema) {
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
  }; // one undo step
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

function matrix() {
  const element = make("span.value.matrix");
  return [
    element,
    (value) => {
      element.textContent = Array.isArray(value)
        ? [0, 1, 2, 3]
            .map((r) => [0, 1, 2, 3].map((c) => show(Number(value[c * 4 + r].toPrecision(3))).padStart(7)).join(""))
            .join("\n")
        : show(value);
    },
  ];
}

// Widget for a string: previews the image or sound that it names, and offers all others.
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
    heard = new Audio();
  picture.onload = () => {
    picture.hidden = false;
    picture.title = `${picture.naturalWidth} × ${picture.naturalHeight}: choose another image`;
  };
  picture.onerror = () => {
    picture.hidden = true;
  };
  const hear = make(
    "button.plain.hear",
    {
      title: "play it",
      hidden: true,
      onclick: () => {
        heard.paused ? heard.play().catch(complain) : heard.pause();
      },
    },
    "▶",
  );
  const choose = () =>
    chooseAsset(`${x.component}.${x.field}`, x.value, (value) => {
      input.value = value;
      send(x, value);
    }).catch(complain);
  return [
    make(
      "span.parts",
      null,
      picture,
      hear,
      input,
      make("button.plain.choose", { title: "choose a file", ariaLabel: `choose ${x.field}`, onclick: choose }, "…"),
    ),
    (value) => {
      if (!busy(input)) input.value = value;
      if (picture.named === value) return;
      picture.named = value;
      picture.hidden = true;
      hear.hidden = !/\.(wav|ogg|mp3|flac|opus)$/i.test(value);
      heard.pause();
      if (!hear.hidden) heard.src = `assets/${encodeURI(value)}`;
      if (/\.(png|jpe?g|svg)$/i.test(value)) picture.src = `assets/${encodeURI(value)}`;
    },
  ];
}

function link(x, schema) {
  const [input, put] = numberInput(x, schema),
    go = make("button.plain.link", { title: "select this entity" });
  const choose = () => chooseEntity(`${x.component}.${x.field}`, x.value, (value) => send(x, value));
  let shown;
  const called = async (value) => {
    const {
      rows: [row],
    } = await ask("sql", { text: "SELECT name, assemblage FROM entities WHERE entity = ?", parameters: [value] });
    if (shown === value) go.textContent = `→ ${row ? row[0] || row[1] || "entity" : "gone"}`;
  };
  return [
    make(
      "span.parts",
      null,
      input,
      go,
      make("button.plain.choose", { title: "choose an entity", ariaLabel: `choose ${x.field}`, onclick: choose }, "…"),
    ),
    (value) => {
      put(value);
      if (value === shown) return;
      shown = value;
      go.hidden = !value;
      go.textContent = "→";
      go.onclick = () => pick(value);
      if (value) called(value).catch(() => {});
    },
  ];
}

function plain(x, schema) {
  if (schema.read_only || schema.type === "mat4") return matrix();
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
  if (schema.type === "string" || schema.type === "asset") return textInput(x, schema);
  if (schema.type === "entity") return link(x, schema);
  const [input, put] = numberInput(x, schema);
  if (schema.min === undefined || schema.max === undefined) return [input, put];
  const [range, move] = slider(x, schema);
  return [
    make("span.parts", null, range, input),
    (value) => {
      put(value);
      move(value);
    },
  ];
}

const hex = (part) =>
  Math.round(Math.max(0, Math.min(1, part)) * 255)
    .toString(16)
    .padStart(2, "0");

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

// Dragging a number's label changes it.
function drags(label, x, schema) {
  if (!/^[fiu]\d/.test(schema.type) || schema.read_only) return;
  label.classList.add("drag");
  label.onpointerdown = (event) => {
    const from = event.clientX,
      was = x.value,
      unit = Math.max(Math.abs(was), schema.max ? (schema.max - (schema.min ?? 0)) / 4 : 1) / 100;
    let last = null;
    label.setPointerCapture(event.pointerId);
    label.onpointermove = (moved) => {
      const raw = was + (moved.clientX - from) * unit,
        step = 10 ** Math.floor(Math.log10(unit));
      const rounded = /^f/.test(schema.type) ? Number((Math.round(raw / step) * step).toPrecision(6)) : Math.round(raw);
      const value = Math.min(schema.max ?? Infinity, Math.max(schema.min ?? -Infinity, rounded));
      if (value === (last ?? was)) return;
      send(x, value, last !== null);
      last = value;
    };
    label.onpointerup = () => {
      label.onpointermove = null;
    };
  };
}

// --- a component

function pinField(what) {
  pinned.has(what) ? pinned.delete(what) : pinned.add(what);
  keep("pinned", pinned);
  redraw();
}

// Buttons beside a field: pin, and, if it differs, reset and write back.
function fieldDeeds(parts, what) {
  const pin = make(
    "button.plain.pin",
    { title: pinned.has(what) ? "unpin this field" : "pin this field", onclick: () => pinField(what) },
    pinned.has(what) ? "★" : "☆",
  );
  const back = make(
    "button.plain.back",
    {
      title: "",
      onclick: () =>
        parts.filter(differs).forEach((x) => {
          tuned.forget(x);
          ask("revert", key(x)).catch(complain);
        }),
    },
    "↺",
  );
  const into = make(
    "button.plain.into",
    { title: "write the value back to its file", onclick: () => tuned.write(parts.find(differs) ?? parts[0]) },
    "⤓",
  );
  return {
    element: make("span.deeds", null, back, into, pin),
    put: () => {
      const other = parts.filter(differs);
      back.hidden = into.hidden = other.length === 0;
      back.title = `back to ${parts.map((x) => show(x.template)).join(", ")}, as in the assemblage`;
    },
  };
}

function fieldRow(called, parts, owner) {
  const schema = field(parts[0].component, parts[0].field) ?? { type: "string" },
    what = `${parts[0].component}.${called}`;
  const label = make(
    "label",
    {
      title: [
        schema.doc,
        `${schema.type}${schema.unit ? `, ${schema.unit}` : ""}${schema.min !== undefined ? `, ${schema.min} … ${schema.max ?? "∞"}` : ""}`,
        "drag: change; double click: plot",
      ]
        .filter(Boolean)
        .join("\n"),
    },
    owner ? make("span.owner", null, `${owner}.`) : null,
    called,
  );
  label.ondblclick = () => watch(`${parts[0].component}.${parts[0].field}`);
  drags(label, parts[0], schema);
  const widgets = parts.map((x) => plain(x, field(x.component, x.field) ?? schema)),
    writes = !schema.read_only && schema.type !== "mat4";
  if (parts.length >= 3 && /colou?r|tint/.test(called)) widgets.unshift(swatch(parts));
  const deeds = fieldDeeds(parts, what);
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
    writes && deeds.element,
  );
  return {
    row,
    called: what,
    put: () => {
      row.classList.toggle(
        "touched",
        parts.some((x) => x.touched),
      );
      row.classList.toggle("differs", parts.some(differs));
      deeds.put();
      widgets.forEach(([, put], i) => put(parts[widgets.length > parts.length ? i - 1 : i]?.value));
    },
  };
}

function groupsOf(fields) {
  const groups = new Map();
  for (const x of fields) {
    const head = x.field.replace(/\.\w+$/, "");
    groups.set(head, [...(groups.get(head) ?? []), x]);
  }
  return [...groups].map(([head, parts]) => [parts.length > 1 ? head : parts[0].field, parts]);
}

function card(x) {
  const { component, instance, fields } = x,
    id = `${component} ${instance}`;
  const rows = groupsOf(fields).map(([called, parts]) => fieldRow(called, parts));
  const stop = (deed) => (event) => {
    event.stopPropagation();
    deed();
  };
  const back = make(
    "button.plain.back",
    {
      title: `reset all of ${component} back to the assemblage's values`,
      hidden: true,
      onclick: stop(() => {
        fields.forEach(tuned.forget);
        ask("revert", { entity: world.picked, component, instance }).catch(complain);
      }),
    },
    "↺",
  );
  const remove = make(
    "button.plain.danger",
    {
      title: `remove ${component}`,
      onclick: stop(() => ask("remove", { entity: world.picked, component, instance }).catch(complain)),
    },
    "×",
  );
  const count = make("span.count");
  const element = make(
    `div.component${closed.has(component) ? ".closed" : ""}`,
    null,
    make(
      "h3",
      {
        title: world.byName.get(component)?.doc ?? "",
        tabIndex: 0,
        onclick: () => {
          element.classList.toggle("closed") ? closed.add(component) : closed.delete(component);
          keep("closed", closed);
        },
        onkeydown: (event) => {
          if (event.key === "Enter" && event.target.tagName === "H3") event.target.click();
        },
      },
      component,
      instance && make("span.instance", null, instance),
      x.part === "added" && make("span.tag", { title: "not in the assemblage" }, "added"),
      count,
      make("span.deeds", null, back, remove),
    ),
    make(
      "div.fields",
      null,
      rows.map((row) => row.row),
    ),
  );
  return {
    key: id,
    element,
    fields,
    rows,
    put: () => {
      const other = fields.filter(differs).length;
      count.textContent = other ? `${other} ≠` : "";
      count.title = other ? `${other} of its fields differ from the assemblage` : "";
      back.hidden = other === 0;
      rows.forEach((row) => row.put());
    },
  };
}

function group(table) {
  const found = new Map(),
    gone = [];
  for (const [component, instance, called, value, touched, template, part] of table.rows) {
    if (part === "missing") {
      gone.push([component, instance]);
      continue;
    }
    const id = `${component} ${instance}`;
    if (!found.has(id)) found.set(id, { component, instance, part, fields: [] });
    if (called !== null) found.get(id).fields.push({ component, instance, field: called, value, touched, template });
  }
  return [found, gone];
}

function absent(gone) {
  if (gone.length === 0) return null;
  return make(
    "div.absent",
    null,
    make("span.dim", null, "removed from the assemblage: "),
    gone.map(([component, instance]) =>
      make(
        "button.plain",
        {
          title: "restore it",
          onclick: () =>
            ask("add", { entity: world.picked, component, instance })
              .then(() => ask("revert", { entity: world.picked, component, instance }))
              .catch(complain),
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
      .filter(([called]) => pinned.has(`${x.fields[0].component}.${called}`))
      .map(([called, parts]) => fieldRow(called, parts, parts[0].component)),
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
    put: () => rows.forEach((x) => x.put()),
  };
}

let above = null;

function fitsFilter() {
  const words = ($("field-filter")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  for (const x of cards.values()) {
    const own = words.every((word) => x.key.includes(word));
    let any = own;
    x.rows.forEach((row) => {
      const fits = own || words.every((word) => row.called.includes(word));
      row.row.hidden = !fits;
      any ||= fits;
    });
    x.element.hidden = !any;
    x.element.classList.toggle("found", words.length > 0 && any);
  }
}

function head() {
  const known = new Set([...cards.values()].map((x) => x.key.split(" ")[0]));
  const add = make(
    "select",
    {
      title: "add a component",
      ariaLabel: "add a component",
      onchange: () => {
        ask("add", { entity: world.picked, component: add.value }).catch(complain);
        add.value = "";
      },
      onkeydown: (event) => {
        if (!/^(ArrowUp|ArrowDown|Enter)$/.test(event.key)) return; // arrow keys alone must not choose
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
    deeds = [
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
  ask("sql", { text: "SELECT name, assemblage, state FROM entities WHERE entity = ?", parameters: [world.picked] })
    .then(({ rows: [row] }) => {
      if (!row) return;
      title.textContent = row[0] || row[1] || "entity";
      kind.textContent = [row[0] && row[1], row[2]].filter(Boolean).join(" · ");
    })
    .catch(() => {});
  const filter = make("input", {
    id: "field-filter",
    type: "search",
    placeholder: "fields",
    ariaLabel: "search fields",
    spellcheck: false,
    oninput: fitsFilter,
    value: $("field-filter")?.value ?? "",
  });
  return make(
    "div.who",
    null,
    make("h2", null, title, kind, make("span.id", null, `#${world.picked}`), pin),
    make(
      "div.deeds",
      null,
      deeds.map(([word, deed, keys]) =>
        make(`button${word === "Destroy" ? ".danger" : ""}`, { onclick: deed, title: keys }, word),
      ),
      add,
      filter,
    ),
  );
}

export async function duplicate() {
  if (!world.picked) return;
  try {
    const { result } = await ask("duplicate", { entity: world.picked });
    pick(Number(result));
    tell(`#${result} is the copy`);
  } catch (error) {
    complain(error);
  }
}
export const destroy = () => world.picked && ask("destroy", { entity: world.picked }).catch(complain);
export async function undo() {
  try {
    const { result } = await ask("undo");
    tell("Undone");
    if (/^\d+$/.test(result ?? "") && Number(result) > 0) pick(Number(result)); // the destroyed entity was re-created
  } catch (error) {
    complain(error);
  }
}

let latest = null;

function redraw() {
  cards = new Map();
  if (latest) draw(latest);
}

function draw(table) {
  latest = table;
  const [found, gone] = group(table),
    lacks = JSON.stringify(gone);
  const same =
    cards.size === found.size &&
    lacks === missing &&
    [...found].every(([id, x]) => cards.get(id)?.fields.length === x.fields.length);
  if (!same) {
    const top = $("inspector").querySelector(".scroll")?.scrollTop ?? 0;
    missing = lacks;
    cards = new Map([...found].map(([id, x]) => [id, card(x)]));
    above = pinnedCard();
    refill(
      $("inspector"),
      head(),
      make(
        "div.scroll",
        null,
        above?.element,
        [...cards.values()].map((x) => x.element),
        absent(gone),
      ),
      tuned.tray(),
    );
    $("inspector").querySelector(".scroll").scrollTop = top;
    fitsFilter();
  }
  for (const [id, x] of found) {
    x.fields.forEach((from, i) => Object.assign(cards.get(id).fields[i], from));
    cards.get(id).put();
  }
  above?.put();
}

function empty(words) {
  cards = new Map();
  latest = null;
  $("inspector").replaceChildren(make("div.empty", null, words), tuned.tray());
}

function begun() {
  end?.();
  end = null;
  cards = new Map();
  if (!world.picked)
    return empty("Select an entity on the left or on the map to edit its fields while the game runs.");
  end = follow({ what: "entity", entity: world.picked, hz: 20 }, (table, error) =>
    error ? empty(`#${world.picked} no longer exists.`) : draw(table),
  );
}

export function begin() {
  changes.addEventListener("picked", begun);
  changes.addEventListener("learned", begun);
  begun();
}
