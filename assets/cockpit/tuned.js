// Unsaved values: the user writes a value back to its literal in the source, after a preview of the line, or discards
// it.
import { request } from "./wire.js";
import { world, changes, formatField } from "./world.js";
import { $, make, updateChildren, showError, notify } from "./kit.js";

const values = new Map(); // { component, instance, field, entity, from, to }, by keyOf()
const list = make("div.tuned", { hidden: true });
export const tray = () => list;

const keyOf = (x) => `${x.entity ?? world.picked} ${x.component} ${x.instance} ${x.field}`;
const keyed = (x) => ({
  entity: x.entity ?? world.picked,
  component: x.component,
  instance: x.instance,
  field: x.field,
});

const textOf = (x, value) => formatField(x.component, x.field, value);

export function record(x, to) {
  const key = keyOf(x),
    known = values.get(key),
    from = known ? known.from : x.value;
  if (from === to) values.delete(key);
  else values.set(key, { ...keyed(x), from, to });
  draw();
}
export function forget(x) {
  values.delete(keyOf(x));
  draw();
}

async function discard(x) {
  try {
    await request("set", { ...keyed(x), value: x.from });
  } catch (error) {
    showError(error);
  }
  forget(x);
}

function draw() {
  const all = [...values.values()];
  list.hidden = all.length === 0;
  updateChildren(
    list,
    make(
      "h3",
      null,
      `Unsaved changes: ${all.length}`,
      all.length > 1 && make("button.plain", { onclick: () => all.forEach(discard) }, "Discard all"),
    ),
    ...all.map((x) =>
      make(
        "div.value-row",
        null,
        make("span.expression", { title: `#${x.entity} ${x.component}.${x.field}` }, `${x.component}.${x.field}`),
        make("span.change", null, make("s", null, textOf(x, x.from)), ` ${textOf(x, x.to)}`),
        make(
          "button",
          { className: "write", title: "write this value to its source file", onclick: () => write(x) },
          "Write back",
        ),
        make("button.plain", { title: "restore the previous value", onclick: () => discard(x) }, "Discard"),
      ),
    ),
  );
}

// --- renames

const renames = []; // renamed components and fields, as [path, new path]; a change can be undone, so both may exist

const isDeclared = (x) =>
  world.byName.get(x.component)?.fields.some((y) => {
    const name = x.field.replace(/\[.*/, ""); // an element of a list
    return y.name === name || y.column === name || name.startsWith(`${y.name}.`);
  });

// Notes a rename, for example from "gun.reach" to "gun.range". It takes effect when the game has reloaded its files.
export function noteRename(from, to) {
  renames.push([from, to], [to, from]);
}

// Returns the value's declared name after a rename, or null if its field was removed.
function findRenamed(x) {
  const path = `${x.component}.${x.field}`;
  for (const [from, to] of renames.toReversed())
    if (path === from || path.startsWith(`${from}.`) || path.startsWith(`${from}[`)) {
      const [component, ...rest] = (to + path.slice(from.length)).split(".");
      const renamed = { ...x, component, field: rest.join(".") };
      if (isDeclared(renamed)) return renamed;
    }
  return null;
}

// The files may have been changed: follows renames, and drops values of removed fields.
changes.addEventListener("loaded", () => {
  for (const [key, x] of [...values]) {
    const known = isDeclared(x) ? x : findRenamed(x);
    if (known === x) continue;
    values.delete(key);
    if (known) values.set(keyOf(known), known);
  }
  draw();
});

// --- preview of the changed line

// Returns the lengths of the common start and the common end of two lines; the text between them, extended to whole
// words and numbers, is highlighted.
function commonEnds(a, b) {
  let first = 0,
    last = 0;
  while (first < a.length && first < b.length && a[first] === b[first]) ++first;
  while (last < a.length - first && last < b.length - first && a.at(-1 - last) === b.at(-1 - last)) ++last;
  while (first > 0 && /[\w.]/.test(a[first - 1])) --first;
  while (last > 0 && /[\w.]/.test(a.at(-last))) --last;
  return [first, last];
}
function diffLine(text, first, last, kind, sign) {
  return make(
    `div.${kind}`,
    null,
    sign,
    text.slice(0, first),
    make("mark", null, text.slice(first, text.length - last)),
    text.slice(text.length - last),
  );
}

function preview(found) {
  const [first, last] = commonEnds(found.before, found.after);
  return [
    make("div.place", null, make("b", null, `${found.file}:${found.line}`), make("span.dim", null, ` ${found.of}`)),
    make(
      "pre.diff",
      null,
      diffLine(found.before, first, last, "removed", "− "),
      diffLine(found.after, first, last, "added", "+ "),
    ),
  ];
}

async function findLiteral(x, into) {
  try {
    return await request("literal", { ...keyed(x), value: x.to, into });
  } catch (error) {
    return { error: error.message };
  }
}

// Returns the places to which the value can be written, the preferred one first: the assemblage, and the component's
// default.
async function findTargets(x) {
  const [automatic, inAssemblage, inComponent] = await Promise.all([
    findLiteral(x),
    findLiteral(x, "assemblage"),
    findLiteral(x, "component"),
  ]);
  const out = automatic.error ? [] : [["", automatic]];
  const isOther = (x) =>
    !x.error && `${x.file}:${x.line}${x.after}` !== `${automatic.file}:${automatic.line}${automatic.after}`;
  if (isOther(inAssemblage)) out.push(["assemblage", inAssemblage]);
  if (isOther(inComponent)) out.push(["component", inComponent]);
  return [out, automatic.error];
}

const targetLabel = (found) =>
  found.of.startsWith("component")
    ? "default for all entities"
    : found.value === ""
      ? "add to this assemblage"
      : "this assemblage";

export async function write(from) {
  const x = { ...keyed(from), to: values.get(keyOf(from))?.to ?? from.value, from: values.get(keyOf(from))?.from };
  const dialog = $("write-back"),
    [found, error] = await findTargets(x);
  let chosen = 0;
  const body = make("div"),
    buttons = make("div.actions");
  const writeValue = async () => {
    try {
      const [into, place] = found[chosen];
      const { file, line } = await request("write", {
        ...keyed(x),
        value: x.to,
        into: into || undefined,
        stamp: place.stamp,
      });
      notify(`Wrote ${file}:${line}`);
      forget(x);
      dialog.close();
    } catch (problem) {
      body.append(make("div.error", null, problem.message));
    }
  };
  const redraw = () => {
    body.replaceChildren(
      ...(found.length ? preview(found[chosen][1]) : [make("div.error", null, error)]),
      ...(found.length > 1
        ? [
            make(
              "div.targets",
              null,
              found.map(([, place], i) =>
                make(
                  "label",
                  null,
                  make("input", {
                    type: "radio",
                    name: "into",
                    checked: i === chosen,
                    onchange: () => {
                      chosen = i;
                      redraw();
                    },
                  }),
                  `${place.file}: ${targetLabel(place)}`,
                ),
              ),
            ),
          ]
        : []),
    );
  };
  redraw();
  buttons.append(
    make("button.main", { onclick: writeValue, disabled: found.length === 0, id: "write-now" }, "Write"),
    x.from !== undefined
      ? make(
          "button",
          {
            onclick: () => {
              discard(x);
              dialog.close();
            },
          },
          "Discard",
        )
      : "",
    make("button", { onclick: () => dialog.close() }, "Cancel"),
  );
  dialog.replaceChildren(make("h2", null, `${x.component}.${x.field} = ${textOf(x, x.to)}`), body, buttons);
  dialog.showModal();
  $("write-now").focus();
}

changes.addEventListener("restarted", () => {
  values.clear();
  draw();
});
