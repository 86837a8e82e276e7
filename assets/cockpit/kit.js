// Helpers shared by all panels: elements, tables, messages.
export const $ = (id) => document.getElementById(id);

// make("div.row", { title: "…", onclick: f }, child, "text", …)
export function make(what, properties, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key === "ariaLabel" || key === "role") element.setAttribute(key === "role" ? key : "aria-label", value);
    else element[key] = value;
  }
  if (properties?.onclick && /^(a|th)$/.test(tag) && !properties.href) element.tabIndex = 0; // Enter acts as a click (main.js)
  element.append(...children.flat().filter((x) => x !== null && x !== undefined && x !== false));
  return element;
}

// Replaces the children; the focused element keeps the focus and its position.
export function refill(box, ...children) {
  const path = [];
  for (let at = document.activeElement; at !== box; at = at.parentElement) {
    if (!at?.parentElement) {
      path.length = 0;
      break;
    }
    path.unshift([...at.parentElement.children].indexOf(at));
  }
  box.replaceChildren(...children);
  if (path.length === 0) return;
  const at = path.reduce((x, i) => x?.children[i], box),
    usable = "button:enabled, input:enabled, select:enabled, textarea, [tabindex]";
  const to =
    !at || at.matches(usable)
      ? at
      : [...box.querySelectorAll(usable)].find((x) => at.compareDocumentPosition(x) & Node.DOCUMENT_POSITION_FOLLOWING);
  to?.focus({ preventScroll: true }); // if the row there cannot take the focus, the next one does
}

let hiding;
export function tell(text, bad) {
  const toast = $("toast");
  toast.textContent = text;
  toast.className = bad ? "bad" : "";
  toast.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(
    () => {
      toast.hidden = true;
    },
    bad ? 6000 : 2500,
  );
}
export const complain = (error) => tell(error.message, true);

export function show(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(7)));
  if (Array.isArray(value)) return value.map(show).join(" ");
  return String(value);
}

// Returns a table. `cells`: header cells; `rows`: body rows; `properties`: of its tbody, to fill it by id.
export function tabled(cells, properties, rows) {
  return make("table", null, make("thead", null, make("tr", null, cells)), make("tbody", properties, rows));
}

// Returns a query's result as a grid; entity ids are links.
export function grid(columns, rows, pick) {
  const numeric = columns.map((_, i) => rows.some((row) => typeof row[i] === "number"));
  const head = columns.map((name, i) => make(numeric[i] ? "th.number" : "th", null, name));
  const body = rows.map((row) =>
    make(
      "tr",
      null,
      row.map((value, i) => {
        const cell = make(numeric[i] ? "td.number" : "td", { title: String(value ?? "") });
        if (/^(entity|parent|target)$/.test(columns[i]) && value > 0)
          cell.append(make("a", { onclick: () => pick(value) }, String(value)));
        else cell.append(show(value));
        return cell;
      }),
    ),
  );
  return tabled(head, null, body);
}
