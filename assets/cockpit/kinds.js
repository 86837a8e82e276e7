// Kinds panel: declares components, assemblages, behaviours and systems in the game's files, and renames them. A form
// for each kind; the diff of the change is updated while the user types, and written with a button (change_view.js).
import { request, follow } from "./wire.js";
import { world, changes } from "./world.js";
import { make, listKeys, showError, notify } from "./kit.js";
import { proposalView } from "./change_view.js";
import { noteRename } from "./tuned.js";

const TYPES = ["f32", "i32", "bool", "string", "enum", "asset", "entity", "vec2", "vec3", "vec4"].concat(
  ["f64", "i8", "i16", "u8", "u16", "u32"], // less common types
);
const NUMERIC = /^([fiu]\d+|vec\d)$/;
const KINDS = [
  ["assemblage", "Assemblage", "A template for entities: its components, children and states"],
  ["component", "Component", "Data of entities: fields with types and defaults"],
  ["behaviour", "Behaviour", "A component with functions that run for its entity"],
  ["system", "System", "A function that runs for all entities that have given components"],
  ["rename", "Rename", "Changes a name in all files of the game; entities and saves keep their values"],
];
const newField = () => ({ name: "", type: "f32", default: "", min: "", max: "", unit: "", doc: "" });
const EMPTY = {
  assemblage: () => ({ name: "", doc: "", is: [], components: [], children: [], states: [] }),
  component: () => ({ name: "", doc: "", kind: "component", requires: [], fields: [newField()] }),
  behaviour: () => ({ name: "", template: "every_tick", fields: [] }),
  system: () => ({ name: "", template: "each_entity", query: [] }),
  rename: () => ({ sort: "", name: "", to: "" }),
};
let kind = "component",
  templates = { behaviours: [], systems: [] },
  form,
  view,
  picker,
  refused, // error of the last reload, shown above the form
  offered = "";
const drafts = Object.fromEntries(Object.entries(EMPTY).map(([name, make]) => [name, make()]));
const draft = () => drafts[kind];

// --- requests

// Converts the text of an input to a value of a type. A text that does not match the type is sent unchanged, so that
// the game reports the problem.
export function toValue(type, text) {
  const trimmed = String(text).trim();
  if (typeof text === "boolean") return text;
  if (trimmed === "") return undefined;
  if (type === "bool") return trimmed === "true" ? true : trimmed === "false" ? false : trimmed;
  if (/^vec/.test(type) || type === "vector") {
    if (trimmed.startsWith("#")) return trimmed;
    const parts = trimmed.split(/[\s,;]+/).map(Number);
    return parts.some(Number.isNaN) ? trimmed : parts;
  }
  if (!NUMERIC.test(type)) return text;
  return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}

const toField = (x) => ({
  name: x.name.trim(),
  type: x.type,
  ...(x.type === "enum"
    ? {
        choices: x.default
          .split(",")
          .map((y) => y.trim())
          .filter(Boolean),
      }
    : { default: toValue(x.type, x.default) }),
  min: NUMERIC.test(x.type) ? toValue("f64", x.min) : undefined,
  max: NUMERIC.test(x.type) ? toValue("f64", x.max) : undefined,
  unit: x.unit.trim() || undefined,
  doc: x.doc.trim() || undefined,
});
function toComponent(x) {
  const fields = new Map(fieldsOf(x.name).map((field) => [field.name, field]));
  const values = {};
  for (const [name, text] of Object.entries(x.values)) {
    const value = toValue(fields.get(name)?.type ?? "f32", text);
    if (value !== undefined) values[name] = value;
  }
  return { name: x.name, instance: x.instance || undefined, values };
}
const toDeclaration = (x) => ({
  name: x.name.trim(),
  doc: x.doc?.trim() || undefined,
  is: x.is,
  components: x.components.map(toComponent),
  children: (x.children ?? []).map(toDeclaration),
  states: (x.states ?? []).map((state) => ({ name: state.name.trim(), components: state.components.map(toComponent) })),
});
function toRequest() {
  const x = draft();
  if (kind === "assemblage") return { what: kind, ...toDeclaration(x) };
  if (kind === "rename") return { what: kind, kind: x.sort, name: x.name, to: x.to.trim() };
  const fields = x.fields?.filter((y) => y.name.trim() || y.default || y.doc).map(toField);
  return { what: kind, ...x, name: x.name.trim(), doc: x.doc?.trim() || undefined, fields };
}

// Returns the fields of a component as the user enters them: the parts of a vector are one field.
export function fieldsOf(component) {
  const out = [],
    fields = world.byName.get(component)?.fields ?? [];
  for (const field of fields) {
    const base = /^(.*)\.[xyzw]$/.exec(field.name)?.[1];
    const isVector = base && fields.some((x) => x.name === `${base}.y`) && fields.some((x) => x.name === `${base}.x`);
    if (field.read_only || field.type === "entity" || field.type === "mat4") continue;
    if (!isVector) out.push(field);
    else if (field.name.endsWith(".x")) {
      const parts = fields.filter((x) => x.name.startsWith(`${base}.`) && /\.[xyzw]$/.test(x.name));
      out.push({ ...field, name: base, type: "vector", default: parts.map((x) => x.default).join(", ") });
    }
  }
  return out;
}

// --- problems

const problemsAt = new Map(); // elements that show the problem of a member, by path
function problemLine(path) {
  const element = make("div.problem", { hidden: true });
  problemsAt.set(path, element);
  return element;
}

// Shows each problem next to its field, or next to the closest enclosing member that has an element. An empty name is
// not marked until the user has entered something.
function showProblems(list) {
  for (const element of problemsAt.values()) {
    element.hidden = true;
    element.textContent = "";
    element.parentElement?.classList.remove("has-problem");
  }
  for (const { at, text } of list) {
    let path = at;
    while (path && !problemsAt.has(path)) path = path.replace(/\.?[^.]*$/, "");
    const element = problemsAt.get(path) ?? problemsAt.get("name");
    if (!element) continue;
    element.textContent += `${element.textContent ? "; " : ""}${text}`;
    element.hidden = false;
    element.parentElement?.classList.add("has-problem");
  }
}

// --- widgets

const changed = () => {
  const isIncomplete = kind === "rename" && ["", draft().name.split(".").at(-1)].includes(draft().to.trim());
  const isUntouched = isIncomplete || JSON.stringify(draft()) === JSON.stringify(EMPTY[kind]());
  view.update(isUntouched ? null : toRequest());
};
const redraw = () => {
  drawForm();
  changed();
};

function textInput(object, key, label, properties = {}) {
  const input = make("input", {
    type: "text",
    spellcheck: false,
    autocomplete: "off",
    ariaLabel: label,
    value: object[key],
    ...properties,
  });
  input.oninput = () => {
    object[key] = input.value;
    changed();
  };
  return input;
}

// Creates a button that removes an element of a list. `what`: the element, for screen readers.
function removeButton(list, i, title, what, selector = "button.plain.danger") {
  const onclick = () => {
    list.splice(i, 1);
    redraw();
  };
  return make(selector, { title, ariaLabel: `remove ${what}`, onclick }, "×");
}

function labelled(label, path, ...widgets) {
  const row = make("div.widgets", null, ...widgets);
  return make("div.kind-field", null, make("label", null, label), row, problemLine(path));
}

function selectInput(object, key, label, options, onchange = redraw) {
  const select = make(
    "select",
    { ariaLabel: label },
    options.map(([value, text]) => make("option", { value }, text)),
  );
  select.value = object[key];
  select.onchange = () => {
    object[key] = select.value;
    onchange();
  };
  return select;
}

// Creates a search field that shows matches in a list below. items(): [{ name, doc, tag }]; onChoose(name, item).
export function searchInput(label, placeholder, items, onChoose) {
  let found = [],
    at = 0;
  const list = make("ul.matches", { role: "listbox", hidden: true });
  const input = make("input", {
    type: "search",
    placeholder,
    ariaLabel: label,
    autocomplete: "off",
    spellcheck: false,
  });
  const choose = (i) => {
    if (!found[i]) return;
    input.value = "";
    list.hidden = true;
    onChoose(found[i].name, found[i]);
  };
  const draw = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = (x) => (x.name.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1);
    found = items()
      .filter((x) => words.every((word) => `${x.name} ${x.doc ?? ""} ${x.tag ?? ""}`.toLowerCase().includes(word)))
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, 40);
    at = Math.max(0, Math.min(at, found.length - 1));
    list.hidden = false;
    list.replaceChildren(
      ...(found.length
        ? found.map((x, i) =>
            make(
              i === at ? "li.chosen" : "li",
              {
                role: "option",
                onmousedown: (event) => {
                  event.preventDefault();
                  choose(i);
                },
              },
              make("b", null, x.name),
              x.tag && make("span.badge", null, x.tag),
              make("span.dim", null, x.doc ?? ""),
            ),
          )
        : [make("li.dim", null, "no matches")]),
    );
    list.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
  };
  input.oninput = () => {
    at = 0;
    draw();
  };
  input.onfocus = draw;
  input.onblur = () => {
    list.hidden = true;
  };
  input.onkeydown = listKeys(
    (by) => {
      at += by;
      draw();
    },
    () => choose(at),
  );
  return make("div.search-box", null, input, list);
}

export const componentItems = (taken) =>
  world.schema.components
    .filter((x) => x.kind !== "single" && !/^kept from |^\[?shoal/.test(x.origin))
    .filter((x) => !taken.includes(x.name))
    .map((x) => ({
      name: x.name,
      doc:
        x.doc ??
        x.fields
          .map((y) => y.name)
          .slice(0, 6)
          .join(", "),
      tag: /^behaviours\//.test(x.origin) ? "behaviour" : /\.lua$/.test(x.origin) ? "game" : "",
    }));
const assemblageItems = (taken) =>
  (world.schema.assemblages ?? [])
    .filter((x) => !taken.includes(x.name) && !x.name.includes("/"))
    .map((x) => ({ name: x.name, doc: x.doc ?? "" }));

// Lists the names that can be renamed: those declared by the game's files, without add-ons.
function renameItems() {
  const isOwn = ({ name, origin = "" }) =>
    /\.lua$/.test(origin) && !/^addons\/|^kept from /.test(origin) && !name.includes(".");
  const out = [];
  for (const x of world.schema.components.filter(isOwn)) {
    const paths = new Set(); // paths of records, vectors and fields
    const fields = x.fields.filter((field) => !field.hidden);
    for (const field of fields) {
      const parts = field.name.split(".");
      const isAxis =
        /^[xyzw]$/.test(parts.at(-1)) && fields.some((y) => y.name === [...parts.slice(0, -1), "y"].join("."));
      const count = parts.length > 1 && isAxis ? parts.length - 1 : parts.length;
      for (let i = 1; i <= count; i++) paths.add(parts.slice(0, i).join("."));
    }
    out.push({ name: x.name, doc: x.doc, tag: /^behaviours\//.test(x.origin) ? "behaviour" : "component" });
    for (const path of paths)
      out.push({ name: `${x.name}.${path}`, doc: fields.find((y) => y.name === path)?.doc, tag: "field" });
  }
  const assemblages = (world.schema.assemblages ?? []).filter((x) => !/[./]/.test(x.name));
  const states = new Set(assemblages.flatMap((x) => x.states ?? []));
  const holders = (state) => assemblages.filter((x) => x.states?.includes(state)).map((x) => x.name);
  return out.concat(
    assemblages.map((x) => ({ name: x.name, doc: x.doc, tag: "assemblage" })),
    [...states].map((name) => ({ name, doc: `of ${holders(name).join(", ")}`, tag: "state" })),
    world.schema.events.filter(isOwn).map((x) => ({ name: x.name, doc: x.doc, tag: "event" })),
  );
}

// Creates a list of names, with a search field that adds a name.
function chipList(list, path, label, placeholder, items) {
  return make(
    "div.chips",
    null,
    list.map((name, i) =>
      make(
        "span.kind-chip",
        null,
        name,
        removeButton(list, i, "remove", name, "button.plain"),
        problemLine(`${path}.${i}`),
      ),
    ),
    searchInput(
      label,
      placeholder,
      () => items(list),
      (name) => {
        list.push(name);
        redraw();
      },
    ),
  );
}

// --- fields of a component

function fieldRow(fields, i) {
  const x = fields[i],
    path = `fields.${i}`;
  const hints = {
    bool: "false",
    string: "text",
    asset: "hero.png",
    enum: "calm, angry",
    vec2: "0, 0",
    vec3: "0, 0, 0",
    vec4: "0, 0, 0, 1",
    entity: "none",
  };
  const isNumber = NUMERIC.test(x.type),
    field = `field ${i + 1}`;
  const cell = (key, widget) => make("div", null, widget, problemLine(`${path}.${key}`));
  return make(
    "div.field-row",
    null,
    cell("name", textInput(x, "name", `name of ${field}`, { placeholder: "name" })),
    cell(
      "type",
      selectInput(
        x,
        "type",
        `type of ${field}`,
        TYPES.map((type) => [type, type]),
      ),
    ),
    make(
      "div",
      null,
      textInput(x, "default", x.type === "enum" ? `choices of ${field}` : `default of ${field}`, {
        placeholder: hints[x.type] ?? "0",
        disabled: x.type === "entity",
      }),
      problemLine(`${path}.default`),
      problemLine(`${path}.choices`),
    ),
    cell("min", textInput(x, "min", `minimum of ${field}`, { placeholder: "min", disabled: !isNumber })),
    cell("max", textInput(x, "max", `maximum of ${field}`, { placeholder: "max", disabled: !isNumber })),
    make("div", null, textInput(x, "unit", `unit of ${field}`, { placeholder: "unit" })),
    removeButton(fields, i, "remove this field", field),
    make(
      "div.wide",
      null,
      textInput(x, "doc", `description of ${field}`, { placeholder: "description" }),
      problemLine(path),
    ),
  );
}

// A button that adds an item to a list. `singular`: what an item is.
function addButton(list, empty, singular) {
  const onclick = () => {
    list.push(empty());
    redraw();
    form.querySelector(`[aria-label="name of ${singular} ${list.length}"]`)?.focus();
  };
  return make("button.add", { onclick }, `+ ${singular[0].toUpperCase()}${singular.slice(1)}`);
}

function fieldTable(fields) {
  return make(
    "section",
    null,
    make("h3", null, "Fields"),
    fields.length > 0 &&
      make(
        "div.field-row.head",
        null,
        ["name", "type", "default", "min", "max", "unit"].map((x) => make("span", null, x)),
      ),
    fields.map((_, i) => fieldRow(fields, i)),
    problemLine("fields"),
    addButton(fields, newField, "field"),
  );
}

// --- components of an assemblage

function valueRow(x, field, path) {
  const places = `${path}.values.${field.name}`;
  const properties = { placeholder: String(field.default ?? ""), title: field.doc ?? "" };
  const label = `${x.name} ${field.name}`;
  x.values[field.name] ??= "";
  const options = field.choices ?? (field.type === "bool" ? ["true", "false"] : null);
  const widget = options
    ? selectInput(x.values, field.name, label, [["", `(${field.default})`], ...options.map((y) => [y, y])], changed)
    : textInput(x.values, field.name, label, properties);
  return make(
    "div.value-field",
    null,
    make("label", { title: field.doc ?? "" }, field.name, field.unit && make("span.dim", null, ` ${field.unit}`)),
    widget,
    problemLine(places),
  );
}

function componentCard(list, i, path) {
  const x = list[i],
    fields = fieldsOf(x.name),
    at = `${path}.${i}`;
  const isMany = world.byName.get(x.name)?.kind === "many";
  return make(
    "div.kind-card",
    null,
    make(
      "div.head",
      null,
      make("b", null, x.name),
      isMany && textInput(x, "instance", `instance of ${x.name}`, { placeholder: "instance" }),
      make("span.dim.grow", null, world.byName.get(x.name)?.doc ?? (fields.length ? "" : "no fields")),
      removeButton(list, i, `remove ${x.name}`, x.name),
    ),
    problemLine(at),
    fields.length > 0 &&
      make(
        "div.values",
        null,
        fields.map((field) => valueRow(x, field, at)),
      ),
  );
}

function componentList(list, path, label) {
  const taken = () => list.map((x) => x.name).filter((name) => world.byName.get(name)?.kind !== "many");
  return make(
    "div.component-list",
    null,
    list.map((_, i) => componentCard(list, i, path)),
    problemLine(path),
    searchInput(
      label,
      "add a component: search by name or description",
      () => componentItems(taken()),
      (name) => {
        list.push({ name, instance: "", values: {} });
        redraw();
        form.querySelector(`[aria-label="${label}"]`)?.focus();
      },
    ),
  );
}

function partList(list, path, title, singular, makePart, empty) {
  return make(
    "section",
    null,
    make("h3", null, title),
    list.map((x, i) =>
      make(
        "div.kind-part",
        null,
        make(
          "div.head",
          null,
          textInput(x, "name", `name of ${singular} ${i + 1}`, { placeholder: `name of the ${singular}` }),
          singular === "state" && i === 0 && make("span.badge", null, "initial"),
          make("span.grow"),
          removeButton(list, i, `remove this ${singular}`, `${singular} ${i + 1}`),
          problemLine(`${path}.${i}.name`),
        ),
        makePart(x, `${path}.${i}`, i),
      ),
    ),
    addButton(list, empty, singular),
  );
}

// --- forms

const nameField = (hint) =>
  labelled("Name", "name", textInput(draft(), "name", "name", { placeholder: hint, id: "kind-name" }));
const docField = () =>
  labelled("Description", "doc", textInput(draft(), "doc", "description", { placeholder: "optional" }));
const templateField = (list) =>
  make(
    "div.kind-field",
    null,
    make("label", null, "Template"),
    make(
      "div.templates",
      { role: "radiogroup" },
      list.map((x) =>
        make(
          "label.template",
          null,
          make("input", {
            type: "radio",
            name: "template",
            value: x.name,
            ariaLabel: `template ${x.name}`,
            checked: draft().template === x.name,
            onchange: () => {
              draft().template = x.name;
              changed();
            },
          }),
          make("b", null, x.name.replaceAll("_", " ")),
          make("span.dim", null, x.doc),
        ),
      ),
    ),
    problemLine("template"),
  );

const forms = {
  component: () => [
    nameField("health"),
    docField(),
    labelled(
      "Kind",
      "kind",
      selectInput(
        draft(),
        "kind",
        "kind",
        [
          ["component", "one per entity"],
          ["many", "several named instances per entity"],
          ["single", "one per world (singleton)"],
        ],
        changed,
      ),
    ),
    labelled(
      "Requires",
      "requires",
      chipList(draft().requires, "requires", "required component", "search components", componentItems),
    ),
    fieldTable(draft().fields),
  ],
  assemblage: () => [
    nameField("wolf"),
    docField(),
    labelled("Based on", "is", chipList(draft().is, "is", "base", "search assemblages", assemblageItems)),
    make(
      "section",
      null,
      make("h3", null, "Components"),
      componentList(draft().components, "components", "add a component"),
    ),
    partList(
      draft().children,
      "children",
      "Children",
      "child",
      (x, path, i) => [
        labelled(
          "Based on",
          `${path}.is`,
          chipList(x.is, `${path}.is`, `base of child ${i + 1}`, "search assemblages", assemblageItems),
        ),
        componentList(x.components, `${path}.components`, `add a component to child ${i + 1}`),
      ],
      () => ({ name: "", is: [], components: [] }),
    ),
    partList(
      draft().states,
      "states",
      "States",
      "state",
      (x, path, i) => componentList(x.components, `${path}.components`, `add a component to state ${i + 1}`),
      () => ({ name: "", components: [] }),
    ),
  ],
  behaviour: () => [nameField("prowl"), templateField(templates.behaviours), fieldTable(draft().fields)],
  rename: () => [
    labelled(
      "Rename",
      "name",
      draft().name &&
        make(
          "span.kind-chip.renamed",
          null,
          make("b", null, draft().name),
          make("span.dim", null, draft().sort),
          make(
            "button.plain",
            { title: "choose something else to rename", ariaLabel: `remove ${draft().name}`, onclick: cancel },
            "×",
          ),
        ),
      !draft().name &&
        searchInput(
          "what to rename",
          "search components, fields, assemblages, states, behaviours and events",
          renameItems,
          (name, item) => {
            Object.assign(draft(), { sort: item.tag, name, to: name.split(".").at(-1) });
            redraw();
            const input = document.getElementById("kind-name");
            input.focus();
            input.select();
          },
        ),
    ),
    problemLine("kind"),
    draft().name && labelled("New name", "to", textInput(draft(), "to", "new name", { id: "kind-name" })),
    make(
      "p.dim.rename-note",
      null,
      "Names in components, assemblages, systems, behaviours, sequences, scenes and maps are changed. The old name " +
        "is kept in renamed_from, so that the running game and saves keep their values. A state is renamed in all " +
        "assemblages that have it. Names that a script assembles from parts cannot be found: check the places listed " +
        "above the change.",
    ),
  ],
  system: () => [
    nameField("biting"),
    templateField(templates.systems),
    labelled(
      "Query",
      "query",
      chipList(draft().query, "query", "queried component", "search components", componentItems),
    ),
  ],
};

// Offers to spawn the assemblage that was written last. The reload after the write declares it.
function spawnOffer(name) {
  const spawn = () =>
    request("spawn", { assemblage: name, pick: true })
      .then((answer) => notify(`#${answer.result}: ${name}`))
      .catch(showError);
  return make(
    "div.spawn-offer",
    null,
    make("span", null, `${name} was written.`),
    make("button", { onclick: spawn }, `Spawn ${name}`),
  );
}

function drawForm() {
  const focused = form.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
  problemsAt.clear();
  form.replaceChildren(...(offered && kind === "assemblage" ? [spawnOffer(offered)] : []), ...forms[kind]());
  if (focused) form.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  for (const button of picker.children) button.setAttribute("aria-pressed", button.dataset.kind === kind);
}

function cancel() {
  drafts[kind] = EMPTY[kind]();
  offered = "";
  redraw();
  document.getElementById("kind-name")?.focus();
}

export function panel() {
  form = make("div.kind-form.scroll");
  picker = make(
    "div.group",
    { role: "group" },
    KINDS.map(([name, label, title]) => {
      const button = make(
        "button",
        {
          title,
          onclick: () => {
            kind = name;
            redraw();
          },
        },
        label,
      );
      button.dataset.kind = name;
      return button;
    }),
  );
  view = proposalView({
    hint: "Fill in the form to see the change to the game's files. Nothing is written before you press Write.",
    onProblems: showProblems,
    onCancel: cancel,
    onWritten: (answer, sent) => {
      drafts[kind] = EMPTY[kind]();
      if (sent.what === "assemblage") offered = sent.name;
      if (sent.what === "rename" && ["component", "behaviour", "field"].includes(sent.kind))
        noteRename(sent.name, [...sent.name.split(".").slice(0, -1), sent.to].join("."));
      drawForm();
    },
  });
  changes.addEventListener("loaded", () => {
    if (!form.offsetParent) return;
    if (!form.contains(document.activeElement)) drawForm(); // the schema has changed
    changed();
  });
  refused = make("div.error", { hidden: true, role: "alert" });
  follow({ what: "errors", hz: 4 }, showRefusal);
  return make(
    "div.panel.kinds",
    null,
    make("div.kind-side", null, make("div.bar", null, picker), refused, form),
    view.element,
  );
}

// Explains why names in the game's files are unknown: the game still runs the files from before the refused reload.
function showRefusal(errors) {
  refused.hidden = errors?.kind !== "reload";
  refused.textContent =
    `The last reload was refused, so the game does not know names that were written since:\n` +
    `${errors?.place ? `${errors.place}: ` : ""}${errors?.message}`;
}

export async function shown() {
  try {
    templates = await request("templates");
  } catch {
    return; // the request is repeated when the panel is shown
  }
  drawForm();
  changed();
}
