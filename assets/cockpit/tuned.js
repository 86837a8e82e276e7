// Values tuned by hand: written back into the literals they came from, after a preview of the line, or discarded.
import { ask } from "./wire.js";
import { world, changes } from "./world.js";
import { $, make, refill, show, complain, tell } from "./kit.js";

const values = new Map(); // key → { component, instance, field, entity, from, to }
const list = make("div.tuned", { hidden: true });
export const tray = () => list;

const keyOf = (x) => `${x.entity ?? world.picked} ${x.component} ${x.instance} ${x.field}`;
const keyed = (x) => ({
  entity: x.entity ?? world.picked,
  component: x.component,
  instance: x.instance,
  field: x.field,
});

export function note(x, to) {
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
    await ask("set", { ...keyed(x), value: x.from });
  } catch (error) {
    complain(error);
  }
  forget(x);
}

function draw() {
  const all = [...values.values()];
  list.hidden = all.length === 0;
  refill(
    list,
    make(
      "h3",
      null,
      `Unsaved changes: ${all.length}`,
      all.length > 1 && make("button.plain", { onclick: () => all.forEach(discard) }, "Discard all"),
    ),
    ...all
      .slice(-6)
      .map((x) =>
        make(
          "div.value-row",
          null,
          make("span.what", { title: `#${x.entity} ${x.component}.${x.field}` }, `${x.component}.${x.field}`),
          make("span.change", null, make("s", null, show(x.from)), ` ${show(x.to)}`),
          make(
            "button",
            { className: "write", title: "write the value back to its file", onclick: () => write(x) },
            "Write back",
          ),
          make("button.plain", { title: "restore the previous value", onclick: () => discard(x) }, "Discard"),
        ),
      ),
  );
}

// --- the line as it is and as it would be

// Returns the differing parts of two lines, to highlight them.
function middle(a, b) {
  let first = 0,
    last = 0;
  while (first < a.length && first < b.length && a[first] === b[first]) ++first;
  while (last < a.length - first && last < b.length - first && a.at(-1 - last) === b.at(-1 - last)) ++last;
  return [first, last];
}
function marked(text, first, last, kind, sign) {
  return make(
    `div.${kind}`,
    null,
    sign,
    text.slice(0, first),
    make("mark", null, text.slice(first, text.length - last)),
    text.slice(text.length - last),
  );
}

function shown(found) {
  const [first, last] = middle(found.before, found.after);
  return [
    make("div.place", null, make("b", null, `${found.file}:${found.line}`), make("span.dim", null, ` ${found.of}`)),
    make(
      "pre.diff",
      null,
      marked(found.before, first, last, "gone", "− "),
      marked(found.after, first, last, "come", "+ "),
    ),
  ];
}

async function look(x, into) {
  try {
    return await ask("literal", { ...keyed(x), value: x.to, into });
  } catch (error) {
    return { error: error.message };
  }
}

// Finds where the value can be written: the assemblage, or the component's default.
async function places(x) {
  const [usual, own, general] = await Promise.all([look(x), look(x, "assemblage"), look(x, "component")]);
  const out = usual.error ? [] : [["", usual]];
  if (!own.error && own.after !== usual.after) out.push(["assemblage", own]);
  if (!general.error && general.after !== usual.after) out.push(["component", general]);
  return [out, usual.error];
}

const wordOf = (found) =>
  found.of.startsWith("component")
    ? "default for all entities"
    : found.value === ""
      ? "add to this assemblage"
      : "this assemblage";

export async function write(from) {
  const x = { ...keyed(from), to: values.get(keyOf(from))?.to ?? from.value, from: values.get(keyOf(from))?.from };
  const dialog = $("write-back"),
    [found, error] = await places(x);
  let chosen = 0;
  const body = make("div"),
    deeds = make("div.deeds");
  const done = async () => {
    try {
      const [into, place] = found[chosen];
      const { file, line } = await ask("write", {
        ...keyed(x),
        value: x.to,
        into: into || undefined,
        stamp: place.stamp,
      });
      tell(`wrote ${file}:${line}`);
      forget(x);
      dialog.close();
    } catch (problem) {
      body.append(make("div.error", null, problem.message));
    }
  };
  const redraw = () => {
    body.replaceChildren(
      ...(found.length ? shown(found[chosen][1]) : [make("div.error", null, error)]),
      ...(found.length > 1
        ? [
            make(
              "div.choice",
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
                  ` ${place.file}: ${wordOf(place)}`,
                ),
              ),
            ),
          ]
        : []),
    );
  };
  redraw();
  deeds.append(
    make("button.main", { onclick: done, disabled: found.length === 0, id: "write-now" }, "Write"),
    x.from !== undefined
      ? make(
          "button",
          {
            onclick: () => {
              discard(x);
              dialog.close();
            },
          },
          "Discard the value",
        )
      : "",
    make("button", { onclick: () => dialog.close() }, "Cancel"),
  );
  dialog.replaceChildren(make("h2", null, `${x.component}.${x.field} = ${show(x.to)}`), body, deeds);
  dialog.showModal();
  $("write-now").focus();
}

changes.addEventListener("restarted", () => {
  values.clear();
  draw();
});
