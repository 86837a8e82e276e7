// Helpers shared by all panels: DOM elements, tables, messages.
export const $ = (id) => document.getElementById(id);

// Creates an element: make("div.row", { title: "…", onclick: f }, child, "text", …).
export function make(selector, properties, ...children) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key === "ariaLabel" || key === "role") element.setAttribute(key === "role" ? key : "aria-label", value);
    else element[key] = value;
  }
  // makes the element focusable; main.js clicks it on Enter
  if (properties?.onclick && /^(a|th)$/.test(tag) && !properties.href) element.tabIndex = 0;
  element.append(...children.flat().filter((x) => x !== null && x !== undefined && x !== false));
  return element;
}

// Returns a key handler for a list below a text field: the arrows call move(1) or move(-1), Enter calls accept().
export const listKeys = (move, accept) => (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Enter") accept();
  else return;
  event.preventDefault();
  event.stopPropagation();
};

// Replaces the children of an element. If an old child has the focus, moves the focus to the new child at the same
// position.
export function updateChildren(box, ...children) {
  const path = [];
  for (let node = document.activeElement; node !== box; node = node.parentElement) {
    if (!node?.parentElement) {
      path.length = 0;
      break;
    }
    path.unshift([...node.parentElement.children].indexOf(node));
  }
  box.replaceChildren(...children);
  if (path.length === 0) return;
  const node = path.reduce((x, i) => x?.children[i], box),
    usable = "button:enabled, input:enabled, select:enabled, textarea, [tabindex]";
  const to =
    !node || node.matches(usable)
      ? node
      : [...box.querySelectorAll(usable)].find(
          (x) => node.compareDocumentPosition(x) & Node.DOCUMENT_POSITION_FOLLOWING,
        );
  to?.focus({ preventScroll: true }); // the element, or the next focusable element
}

let hideTimer;
export function notify(text, isError) {
  const toast = $("toast");
  toast.textContent = text;
  toast.className = isError ? "bad" : "";
  toast.hidden = false;
  clearTimeout(hideTimer);
  hideTimer = setTimeout(
    () => {
      toast.hidden = true;
    },
    isError ? 6000 : 2500,
  );
}
export const showError = (error) => notify(error.message, true);

// Returns a number and its noun: "1 entity", "2 entities".
export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

export function format(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(7)));
  if (Array.isArray(value)) return value.map(format).join(" ");
  return String(value);
}

// Returns a table. `cells`: header cells; `rows`: body rows; `properties`: properties of the tbody, such as an id.
export function makeTable(cells, properties, rows) {
  return make("table", null, make("thead", null, make("tr", null, cells)), make("tbody", properties, rows));
}

const FOLDED_ROWS = 20,
  MAX_UNFOLDED_ROWS = 40;
// Returns a grid that shows the first rows of a long result, and a button that shows all. `state.all` is true once the
// button was pressed.
export function foldedGrid(columns, rows, pick, state) {
  if (state.all || rows.length <= MAX_UNFOLDED_ROWS) return grid(columns, rows, pick);
  const box = make("div", null, grid(columns, rows.slice(0, FOLDED_ROWS), pick));
  const showAll = () => {
    state.all = true;
    box.replaceChildren(grid(columns, rows, pick));
  };
  box.append(make("button.plain.more", { onclick: showAll }, `▸ Show all ${rows.length} rows`));
  return box;
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
        else cell.append(format(value));
        return cell;
      }),
    ),
  );
  return makeTable(head, null, body);
}
