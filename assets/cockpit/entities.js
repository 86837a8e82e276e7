// The list on the left: a search becomes a question in SQL, which is followed.
import { follow } from "./wire.js";
import { world, changes, pick, quote, name } from "./world.js";
import { $, make } from "./kit.js";

const MOST = 400;
let end, rows = [];

// "rock :collider transform.x < 100 12": words of names and templates, components, conditions, ids.
export function question(text) {
  const parts = [];
  const rest = text.replace(/([a-z_]\w*)\.([a-z_][\w.]*)\s*(<=|>=|!=|<>|=|<|>|like\b|is\b)\s*('[^']*'|[^\s]+)/gi, (_, component, column, compares, value) => {
    const quoted = /^(-?[\d.]+(e[-+]?\d+)?|null|'.*'|true|false)$/i.test(value) ? value : quote(value);
    parts.push(`entity IN (SELECT entity FROM ${name(component)} WHERE ${name(column.replace(".", "_"))} ${compares} ${quoted})`);
    return " ";
  });
  for (const word of rest.split(/\s+/).filter(Boolean)) {
    if (word.startsWith(":")) { if (word.length > 1) parts.push(`entity IN (SELECT entity FROM ${name(word.slice(1))})`); }
    else if (/^#?\d+$/.test(word)) parts.push(`entity = ${word.replace("#", "")}`);
    else { const like = quote(`%${word}%`); parts.push(`(name LIKE ${like} OR assemblage LIKE ${like} OR state LIKE ${like})`); }
  }
  return `SELECT entity, name, assemblage, state FROM entities${parts.length ? ` WHERE ${parts.join(" AND ")}` : ""} LIMIT ${MOST + 1}`;
}

function draw() {
  $("entity-list").replaceChildren(...rows.slice(0, MOST).map(([entity, called, kind, state]) => make(
    `div.row${entity === world.picked ? ".picked" : ""}`,
    { role: "option", onclick: () => pick(entity), title: `${called ?? ""} ${kind ?? ""}`.trim() },
    make("span.id", null, String(entity)), called && make("span.name", null, called),
    make(called ? "span.dim" : "span.kind", null, kind ?? (called ? "" : "no template")), state && make("span.state", null, state))));
  $("entity-count").textContent = rows.length > MOST ? `the first ${MOST}: search for the others` : `${rows.length} found`;
}

function search() {
  end?.();
  end = follow({ what: "sql", text: question($("search").value), hz: 5, limit: MOST + 1 }, (table, error) => {
    $("search-error").hidden = !error;
    $("search-error").textContent = error ?? "";
    rows = table ? table.rows : [];
    draw();
  });
}

function step(by) {
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row[0] === world.picked);
  pick(rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))][0]);
  document.querySelector("#entity-list .picked")?.scrollIntoView({ block: "nearest" });
}

export function begin() {
  let soon;
  $("search").oninput = () => { clearTimeout(soon); soon = setTimeout(search, 150); };
  for (const id of ["search", "entity-list"]) $(id).onkeydown = (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    step(event.key === "ArrowDown" ? 1 : -1);
  };
  changes.addEventListener("picked", draw);
  search();
}
