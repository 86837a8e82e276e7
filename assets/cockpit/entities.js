// Entity list on the left. A search is translated to an SQL query, whose result is subscribed to. The tree view shows
// children indented below their parents.
import { follow } from "./wire.js";
import { world, changes, pick, quote, name, togglePin } from "./world.js";
import { $, count, make, updateChildren } from "./kit.js";

const MAX = 400;
const LINKS =
  "SELECT t.entity, t.parent, e.name, e.assemblage, e.state FROM transform t JOIN entities e ON e.entity = t.entity " +
  "WHERE t.parent > 0 LIMIT 3000";
let end,
  endLinks,
  rows = [],
  shown = [],
  children = new Map(),
  parents = new Map();
let tree = localStorage.getItem("tree") === "1";
const open = new Set();
const FOLD = 12; // without a search, so many unnamed entities of an assemblage are one row
const unfolded = new Set(); // assemblages whose entities are listed

// Translates a search such as "rock :collider transform.x < 100 12" to SQL: substrings of names and assemblages,
// components, conditions on fields, ids. Substrings and ids need a scan of all entities; otherwise only the rows of the
// first component are scanned. `roots`: only entities without a parent.
export function toSql(text, roots) {
  const parts = [],
    having = [];
  const rest = text.replace(
    /([a-z_]\w*)\.([a-z_][\w.]*)\s*(<=|>=|!=|<>|=|<|>|like\b|is\b)\s*('[^']*'|[^\s]+)/gi,
    (_, component, column, operator, value) => {
      const number = /^-?[\d.]+(e[-+]?\d+)?$/i.test(value),
        quoted = number || /^(null|'.*'|true|false)$/i.test(value) ? value : quote(value),
        test = number && operator === "=" ? `BETWEEN ${value} AND ${value}` : `${operator} ${quoted}`;
      having.unshift([name(component), (of) => `${of}${name(column.replace(".", "_"))} ${test}`]);
      return " ";
    },
  );
  let driven = true;
  for (const word of rest.split(/\s+/).filter(Boolean)) {
    if (word.startsWith(":")) {
      if (word.length > 1) having.push([name(word.slice(1)), () => "1"]);
      continue;
    }
    driven = false;
    parts.push(
      /^#?\d+$/.test(word) ? `entities.entity = ${word.replace("#", "")}` : `words LIKE ${quote(`%${word}%`)}`,
    );
  }
  const first = driven && having.shift();
  for (const [table, condition] of having)
    parts.push(`EXISTS (SELECT 1 FROM ${table} AS x WHERE x.entity = entities.entity AND ${condition("x.")})`);
  if (roots) parts.push("entities.entity NOT IN (SELECT entity FROM transform WHERE parent > 0)");
  const source = first
    ? `(SELECT DISTINCT entity FROM ${first[0]} WHERE ${first[1]("")}) AS f ` +
      "CROSS JOIN entities ON entities.entity = f.entity"
    : "entities";
  const where = parts.length ? ` WHERE ${parts.join(" AND ")}` : "";
  return `SELECT entities.entity, name, assemblage, state FROM ${source}${where} LIMIT ${MAX + 1}`;
}

const isTree = () => tree && $("search").value.trim() === "";

// Returns by assemblage the number of unnamed entities, if they are so many that the list folds them.
function countFolded() {
  const counts = new Map();
  if ($("search").value.trim() !== "") return counts;
  for (const [, label, kind] of rows) if (kind && !label) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, n] of counts) if (n < FOLD) counts.delete(kind);
  return counts;
}

// Fills `shown` with [row, depth] pairs from top to bottom, including the children of expanded rows. The head of a fold
// has `fold`, its assemblage, in place of an entity.
function arrangeRows() {
  shown = [];
  const folds = countFolded(),
    heads = new Set();
  const add = (row, depth) => {
    if (shown.length >= 2 * MAX) return;
    shown.push([row, depth]);
    if (isTree() && open.has(row[0])) for (const child of children.get(row[0]) ?? []) add(child, depth + 1);
  };
  for (const row of rows.slice(0, MAX)) {
    const [, label, kind] = row;
    if (label || !folds.has(kind)) {
      add(row, 0);
      continue;
    }
    if (!heads.has(kind)) {
      heads.add(kind);
      shown.push([{ fold: kind, count: folds.get(kind) }, 0]);
      if (unfolded.has(kind)) rows.slice(0, MAX).forEach((x) => x[2] === kind && !x[1] && add(x, 1));
    }
  }
}

function foldRow({ fold, count }) {
  return make(
    "div.row.fold",
    { role: "option", onclick: () => toggleGroup(fold), title: `${count} entities: show or hide them` },
    make("span.id", null, unfolded.has(fold) ? "▾" : "▸"),
    make("span.kind", null, fold),
    make("span.state", null, `× ${count}`),
  );
}
function toggleGroup(fold) {
  unfolded.has(fold) ? unfolded.delete(fold) : unfolded.add(fold);
  draw();
}

function rowOf([entity, label, kind, state], depth) {
  const childCount = isTree() ? (children.get(entity)?.length ?? 0) : 0;
  const arrow =
    isTree() &&
    make(
      "span.arrow",
      {
        onclick: (event) => {
          event.stopPropagation();
          toggleFold(entity);
        },
      },
      childCount ? (open.has(entity) ? "▾" : "▸") : "",
    );
  const element = make(
    `div.row${entity === world.picked ? ".picked" : ""}`,
    { role: "option", onclick: () => pick(entity), title: `${label ?? ""} ${kind ?? ""}`.trim() },
    make("span.id", null, String(entity)),
    arrow,
    label && make("span.name", null, label),
    make(label ? "span.dim" : "span.kind", null, kind ?? (label ? "" : "no assemblage")),
    childCount > 0 && make("span.below", null, String(childCount)),
    state && make("span.state", null, state),
  );
  if (depth) element.style.setProperty("--depth", depth);
  return element;
}

function draw() {
  arrangeRows();
  $("entity-list").replaceChildren(...shown.map(([row, depth]) => (row.fold ? foldRow(row) : rowOf(row, depth))));
  $("entity-count").textContent = describeCount();
  $("entity-count").hidden = $("entity-count").textContent === "";
}

// Returns the number of rows, or "" if the list shows all entities: the header counts these, at another rate.
function describeCount() {
  if (rows.length > MAX) return `first ${MAX} entities: search to narrow the list`;
  if (isTree()) return count(rows.length, "root");
  return $("search").value.trim() === "" ? "" : count(rows.length, "result");
}

function toggleFold(entity) {
  open.has(entity) ? open.delete(entity) : open.add(entity);
  draw();
}

function search() {
  end?.();
  end = follow({ what: "sql", text: toSql($("search").value, isTree()), hz: 5, limit: MAX + 1 }, (table, error) => {
    $("search-error").hidden = !error;
    $("search-error").textContent = error ?? "";
    rows = table ? [...table.rows].sort((a, b) => a[0] - b[0]) : []; // sorted by id
    draw();
  });
}

function followLinks() {
  endLinks?.();
  endLinks = null;
  $("tree").setAttribute("aria-pressed", tree);
  if (!tree) return;
  endLinks = follow({ what: "sql", text: LINKS, hz: 2, limit: 3000 }, (table) => {
    children = new Map();
    parents = new Map();
    for (const [entity, parent, ...info] of table?.rows ?? []) {
      children.set(parent, [...(children.get(parent) ?? []), [entity, ...info]]);
      parents.set(entity, parent);
    }
    draw();
  });
}

function moveSelection(by) {
  const listed = shown.filter(([row]) => !row.fold);
  if (listed.length === 0) return;
  const at = listed.findIndex(([row]) => row[0] === world.picked);
  pick(listed[Math.max(0, Math.min(listed.length - 1, at < 0 ? 0 : at + by))][0][0]);
  document.querySelector("#entity-list .picked")?.scrollIntoView({ block: "nearest" });
}

function drawPins() {
  updateChildren(
    $("pins"),
    ...world.pins.map(({ entity, label }) =>
      make(
        `span.chip${entity === world.picked ? ".picked" : ""}`,
        { role: "button", tabIndex: 0, onclick: () => pick(entity), title: `#${entity}` },
        label || `#${entity}`,
        make(
          "button.plain",
          {
            title: "unpin",
            onclick: (event) => {
              event.stopPropagation();
              togglePin(entity);
            },
          },
          "×",
        ),
      ),
    ),
  );
  $("pins").hidden = world.pins.length === 0;
}

// Scrolls to the selected entity after expanding its parents.
function showSelected() {
  for (let at = parents.get(world.picked), i = 0; at && i < 32; at = parents.get(at), ++i) open.add(at);
  draw();
  drawPins();
}

function handleKey(event) {
  const { key } = event;
  if (
    isTree() &&
    (key === "ArrowRight" || key === "ArrowLeft") &&
    event.target.id === "entity-list" &&
    children.has(world.picked)
  ) {
    if (open.has(world.picked) === (key === "ArrowLeft")) toggleFold(world.picked);
    event.preventDefault();
    event.stopPropagation();
  }
  if (key !== "ArrowDown" && key !== "ArrowUp") return;
  event.preventDefault();
  moveSelection(key === "ArrowDown" ? 1 : -1);
}

export function init() {
  let timer;
  $("search").oninput = () => {
    clearTimeout(timer);
    timer = setTimeout(search, 150);
  };
  for (const id of ["search", "entity-list"]) $(id).onkeydown = handleKey;
  $("tree").onclick = () => {
    tree = !tree;
    localStorage.setItem("tree", tree ? "1" : "0");
    followLinks();
    search();
  };
  changes.addEventListener("picked", showSelected);
  changes.addEventListener("pins", drawPins);
  followLinks();
  search();
}
