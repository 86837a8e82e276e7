// Small things that every panel needs: elements, tables, messages.
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
  element.append(...children.flat().filter((x) => x !== null && x !== undefined && x !== false));
  return element;
}

let hiding;
export function tell(text, bad) {
  const toast = $("toast");
  toast.textContent = text;
  toast.className = bad ? "bad" : "";
  toast.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { toast.hidden = true; }, bad ? 6000 : 2500);
}
export const complain = (error) => tell(error.message, true);

export function show(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(7)));
  if (Array.isArray(value)) return value.map(show).join(" ");
  return String(value);
}

// A grid of a question's answer; ids of entities can be clicked.
export function grid(columns, rows, pick) {
  const numeric = columns.map((_, i) => rows.some((row) => typeof row[i] === "number"));
  const head = make("tr", null, columns.map((name, i) => make(numeric[i] ? "th.number" : "th", null, name)));
  const body = rows.map((row) => make("tr", null, row.map((value, i) => {
    const cell = make(numeric[i] ? "td.number" : "td", { title: String(value ?? "") });
    if (/^(entity|parent|target)$/.test(columns[i]) && value > 0)
      cell.append(make("a", { onclick: () => pick(value) }, String(value)));
    else cell.append(show(value));
    return cell;
  })));
  return make("table", null, make("thead", null, head), make("tbody", null, body));
}
