// Panels: systems in execution order; tables and memory use; the log and errors.
import { request, follow } from "./wire.js";
import { world, changes, pick } from "./world.js";
import { $, make, updateChildren, format, showError, grid, makeTable, count } from "./kit.js";
import { run } from "./console.js";
import { openFile } from "./files.js";

let rowOrder = [],
  order = "median_us",
  descending = true,
  table = null,
  native = new Map();

function sourceLocation(row, at) {
  return row[at.file] ? `${row[at.file]}${row[at.line] ? `:${row[at.line]}` : ""}` : "";
}

// Returns the rows of a system's body, of its loops ("NAME, line 4") and of its slow handlers ("NAME, on.hit").
function partsOf(name) {
  return [...native.values()].filter((x) => x[0] === name || x[0].startsWith(`${name}, `));
}

// Returns how the system's code runs: "native", "LuaJIT", "C", or "" for a system without code.
function codeOf(name) {
  const parts = partsOf(name);
  if (parts.length) return parts.some((x) => x[2]) ? "native" : "LuaJIT";
  return name.startsWith("shoal.") ? "C" : "";
}

function codeCell(name) {
  const code = codeOf(name),
    parts = partsOf(name),
    reason = parts.map((x) => (x[0] === name ? x[3] : `${x[0].slice(name.length + 2)}: ${x[3]}`)).join("\n");
  if (!parts.length) return make("td.dim", { title: code ? "built-in system" : "" }, code);
  return make("td", { title: reason }, make(code === "native" ? "span.good" : "span.warn", null, code));
}

const title = (...lines) => lines.filter((x, i) => x && lines.indexOf(x) === i).join("\n");

// Shows a system's parallelism: the number of parts into which its rows are split, and the systems that run
// concurrently; or the reason why it runs alone, with a link to the source line.
function coresCell(row, at) {
  const concurrent = table.rows.filter((x) => row[at.together] > 0 && x[at.together] === row[at.together] && x !== row),
    apart = row[at.apart] ?? "",
    cause = /([^\s()]+\.lua)(?::(\d+))?/.exec(apart);
  const reason = apart.replace(/^runs alone(: )?/, "").replace(/ ?\(?[^\s()]+\.lua(:\d+)?\)?(: )?/, ""),
    text = concurrent.length ? `with ${concurrent.map((x) => x[at.name]).join(", ")}` : reason;
  return make(
    "td.cores",
    {
      title: title(
        row[at.parts] > 1 && `split into ${row[at.parts]} parts across the workers`,
        concurrent.length && text,
        apart,
      ),
    },
    row[at.parts] > 1 && make("span.good", null, `${row[at.parts]} parts `),
    !concurrent.length &&
      cause?.[2] &&
      !cause[1].startsWith("[") &&
      make(
        "a",
        { onclick: () => openFile(cause[1], Number(cause[2])) },
        `${cause[1].replace(/^.*\//, "")}:${cause[2]}`,
        " ",
      ),
    make(concurrent.length ? "span.good" : "span.dim", null, text),
  );
}

async function loadDetails() {
  try {
    native = new Map((await request("native")).rows.map((x) => [x[0], x]));
    const parked = (await request("parked")).rows;
    $("parked").hidden = parked.length === 0;
    updateChildren(
      $("parked"),
      make(
        "h3",
        null,
        `Parked after an error: ${parked.length} `,
        make(
          "button",
          { onclick: () => request("reload").catch(showError), title: "reload the code and unpark everything" },
          "Reload",
        ),
      ),
      ...parked.map(([kind, name, reason, tick]) =>
        make(
          "div",
          null,
          make("b", null, name),
          make("span.dim", null, ` ${kind}, since tick ${tick}`),
          make("pre", null, reason),
        ),
      ),
    );
    drawSystems();
  } catch {
    /* not connected */
  }
}

function drawSystems() {
  const body = $("system-rows");
  if (!table || !body?.isConnected) return;
  const at = Object.fromEntries(table.columns.map((name, i) => [name, i]));
  const isScope = (row) => row[at.phase] === "scope"; // a profiler scope of a plugin
  const rows = [...table.rows],
    all = rows.reduce((sum, row) => sum + (row[at.on] ? row[at.median_us] : 0), 0) || 1;
  const key = (row) => (order === "code" ? codeOf(row[at.name]) : row[at[order]]);
  if (order !== "order") rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (descending ? -1 : 1));
  if (body.contains(document.activeElement))
    // keeps the order while a row has the keyboard focus
    rows.sort((a, b) => rowOrder.indexOf(a[at.name]) - rowOrder.indexOf(b[at.name]));
  rowOrder = rows.map((row) => row[at.name]);
  updateChildren(
    body,
    ...rows.map((row) => {
      const on = make("input", {
        type: "checkbox",
        checked: row[at.on],
        ariaLabel: `${row[at.name]} enabled`,
        disabled: row[at.name].startsWith("shoal.") || isScope(row),
        onchange: () => request("switch", { system: row[at.name], on: on.checked }).catch(showError),
      });
      const share = row[at.median_us] / all,
        bar = make("span.share");
      bar.style.width = `${Math.max(1, share * 70)}px`;
      return make(
        "tr",
        null,
        make("td", null, on),
        make(
          row[at.on] || isScope(row) ? "td" : "td.off",
          { title: title(row[at.doc], row[at.when], sourceLocation(row, at)) },
          row[at.file] && !row[at.file].startsWith("[")
            ? make("a", { onclick: () => openFile(row[at.file], row[at.line]) }, row[at.name])
            : row[at.name],
        ),
        make("td.dim", null, row[at.phase]),
        make(
          "td.number",
          { title: `${format(row[at.runs])} runs, 99% of them within ${row[at.p99_us].toFixed(1)} µs` },
          row[at.median_us].toFixed(1),
        ),
        make("td", null, bar, ` ${(share * 100).toFixed(0)}%`),
        make("td.number", null, row[at.p99_us].toFixed(1)),
        make(
          "td.number",
          { title: row[at.rows] === null ? "no query" : "rows that the queries of the system match" },
          row[at.rows] === null ? "" : format(row[at.rows]),
        ),
        codeCell(row[at.name]),
        coresCell(row, at),
      );
    }),
  );
  $("system-sum").textContent =
    `${count(rows.filter((row) => !isScope(row)).length, "system")}, ${all.toFixed(0)} µs per tick (medians)`;
}

export function systemsPanel() {
  const headers = [
    ["on", "enabled"],
    ["name", "system"],
    ["order", "phase"],
    ["median_us", "µs"],
    ["median_us", "share"],
    ["p99_us", "p99"],
    ["rows", "rows"],
    ["code", "code"],
    ["together", "parallel"],
  ];
  return make(
    "div.panel",
    null,
    make("div.card", { id: "parked", hidden: true }),
    make(
      "div.scroll",
      null,
      make(
        "table",
        { id: "system-table" },
        make(
          "thead",
          null,
          make(
            "tr",
            null,
            headers.map(([key, word]) =>
              make(
                /us$|rows/.test(key) && word !== "share" ? "th.number" : "th",
                {
                  onclick: () => {
                    descending = order === key ? !descending : true;
                    order = key;
                    drawSystems();
                  },
                },
                word,
              ),
            ),
          ),
        ),
        make("tbody", { id: "system-rows" }),
      ),
    ),
    make("footer.dim", { id: "system-sum" }),
  );
}
let end, detailsTimer; // set while the panel is visible
export function systemsShown() {
  loadDetails();
  detailsTimer ??= setInterval(loadDetails, 2000);
  end ??= follow({ what: "systems", hz: 2 }, (found) => {
    if (found) {
      table = found;
      drawSystems();
    }
  });
}
export function systemsHidden() {
  end?.();
  end = null;
  clearInterval(detailsTimer);
  detailsTimer = undefined;
}

// --- textures on the GPU or, without a window, the images that the game uses

let texturesEnd;
async function drawTextures() {
  const body = $("texture-rows");
  if (!body?.isConnected) return;
  let found;
  try {
    found = await request("textures");
  } catch {
    return;
  }
  const rows = found.rows.filter((x) => x[0] || x[2]);
  $("texture-sum").textContent = found.window
    ? formatBytes(rows.reduce((sum, x) => sum + x[4], 0))
    : "no textures: the game has no window";
  const known = JSON.stringify(rows);
  if (body.known === known) return;
  body.known = known;
  updateChildren(
    body,
    ...rows.map(([name, kind, width, height, bytes]) => {
      const size = make("td.number", null, width ? `${width} × ${height}` : ""),
        memory = make("td.number", null, bytes ? formatBytes(bytes) : "");
      const picture =
        kind === "image" &&
        make("img.texture", {
          src: `assets/${encodeURI(name)}`,
          alt: "",
          loading: "lazy",
          onload: () => {
            if (!width) {
              size.textContent = `${picture.naturalWidth} × ${picture.naturalHeight}`;
              memory.textContent = `(${formatBytes((picture.naturalWidth * picture.naturalHeight * 16) / 3)})`;
              memory.title = "estimate: the game has no window";
            }
          },
        });
      return make(
        "tr",
        null,
        make("td", null, picture),
        make(
          "td",
          null,
          kind === "image" ? make("a", { onclick: () => openFile(`assets/${name}`) }, name) : name || "glyphs",
        ),
        make(kind === "missing" ? "td.warn" : "td.dim", null, kind),
        size,
        memory,
      );
    }),
  );
}

// --- tables and memory use

const formatBytes = (bytes) => (bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(2)} MB`);
let memory = null,
  memoryEnd,
  luaBefore = 0,
  garbage = 0;

function showMemory(found) {
  if (!found) return;
  garbage = luaBefore ? Math.max(0, found.lua - luaBefore) || garbage : 0;
  luaBefore = found.lua;
  memory = found;
  const facts = [
    ["world", memory.world],
    ["rows", memory.columns],
    ["Lua", memory.lua],
    ["strings", memory.strings],
    ["history", memory.history],
  ];
  $("memory-facts").replaceChildren(
    ...facts.map(([word, bytes]) => make("span", null, make("span.dim", null, `${word} `), formatBytes(bytes))),
    make(
      "span",
      { title: "memory allocated by Lua per second" },
      make("span.dim", null, "garbage "),
      garbage ? formatBytes(garbage) : "–",
    ),
  );
  drawTables();
  updateChildren(
    $("query-rows"),
    ...memory.queries.map(([terms, rows, grouped]) =>
      make(
        "tr",
        null,
        make("td", null, terms),
        make("td.number", null, String(rows)),
        make("td.dim", null, grouped ? "group" : ""),
      ),
    ),
  );
}

// `clamped`: by field, the number of values that were clamped to the field's range since the game started.
function clampedCell(clamped) {
  const fields = Object.entries(clamped ?? {});
  return make(
    "td.number",
    { title: fields.map(([name, times]) => `${name}: ${times} values clamped to its range`).join("\n") },
    fields.length ? String(fields.reduce((sum, [, times]) => sum + times, 0)) : "",
  );
}

// Groups of tables: name, whether the group is open at first, and the test of a table.
const isBuiltIn = (x) => x.origin === "C" || /^\[?shoal/.test(x.origin); // declared by the engine, in C or in Lua
const isEvent = (x) => world.schema.events.includes(x);
const TABLE_GROUPS = [
  ["Components of the game", true, (x) => !isEvent(x) && !isBuiltIn(x)],
  ["Built-in components with rows", true, (x) => !isEvent(x) && isBuiltIn(x) && x.rows > 0],
  ["Built-in components without rows", false, (x) => !isEvent(x) && isBuiltIn(x) && x.rows === 0],
  ["Events", false, isEvent],
];
const toggledGroups = new Set(JSON.parse(localStorage.getItem("table-groups") ?? "[]"));
const isGroupOpen = ([group, open]) => open !== toggledGroups.has(group);

function toggleGroup(group) {
  toggledGroups.has(group) ? toggledGroups.delete(group) : toggledGroups.add(group);
  localStorage.setItem("table-groups", JSON.stringify([...toggledGroups]));
  drawTables();
}
function groupRow(group, n) {
  const open = isGroupOpen(group),
    button = make("button.plain", { onclick: () => toggleGroup(group[0]) }, `${open ? "▾" : "▸"} ${group[0]} (${n})`);
  button.setAttribute("aria-expanded", open);
  const cell = make("td", null, button);
  cell.colSpan = 7;
  return make("tr.group", null, cell);
}

function drawTables() {
  const body = $("table-rows");
  if (!body) return;
  const all = world.schema.components.concat(world.schema.events);
  updateChildren(
    body,
    ...TABLE_GROUPS.flatMap((group) => {
      const tables = all.filter(group[2]);
      return tables.length ? [groupRow(group, tables.length), ...(isGroupOpen(group) ? tables.map(tableRow) : [])] : [];
    }),
  );
}

function tableRow(x) {
  const by = new Map((memory?.components ?? []).map((x) => [x[0], x]));
  return make(
    "tr",
    null,
    make(
      "td",
      { title: x.doc ?? "" },
      make(
        "a",
        {
          onclick: () => {
            document.dispatchEvent(new CustomEvent("tab", { detail: "Console" }));
            run(`SELECT * FROM "${x.name}" LIMIT 200`);
          },
        },
        x.name,
      ),
    ),
    make("td.dim", null, x.kind),
    make("td.number", null, String(by.get(x.name)?.[1] ?? x.rows)),
    make("td.number", null, by.has(x.name) ? formatBytes(by.get(x.name)[3]) : ""),
    clampedCell(by.get(x.name)?.[4]),
    make("td.dim", { title: x.fields.map((f) => f.name).join(", ") }, x.fields.map((f) => f.name).join(", ")),
    make("td.mono.dim", null, x.line ? `${x.origin}:${x.line}` : x.origin),
  );
}
export function tablesPanel() {
  changes.addEventListener("loaded", drawTables);
  const queries = makeTable([make("th", null, "query"), make("th.number", null, "rows"), make("th", null, "")], {
    id: "query-rows",
  });
  const textures = makeTable(
    [
      make("th", null, ""),
      make("th", null, "texture ", make("span.dim", { id: "texture-sum" })),
      make("th", null, "kind"),
      make("th.number", null, "size"),
      make("th.number", null, "memory"),
    ],
    { id: "texture-rows" },
  );
  return make(
    "div.panel",
    null,
    make("div.bar.facts", { id: "memory-facts" }),
    make(
      "div.scroll",
      null,
      makeTable(
        ["table", "kind", "rows", "memory", "clamped", "fields", "declared in"].map((word) =>
          make(/rows|memory|clamped/.test(word) ? "th.number" : "th", null, word),
        ),
        { id: "table-rows" },
      ),
      queries,
      textures,
    ),
  );
}
export async function tablesShown() {
  memoryEnd ??= follow({ what: "memory", hz: 1 }, showMemory);
  texturesEnd ??= setInterval(drawTextures, 2000);
  drawTextures();
  try {
    world.schema = await request("schema");
    drawTables();
  } catch (error) {
    showError(error);
  }
}
export function tablesHidden() {
  memoryEnd?.();
  memoryEnd = null;
  clearInterval(texturesEnd);
  texturesEnd = undefined;
}

// --- log and errors

function drawErrors(errors) {
  const card = $("error-card"),
    bad = errors?.kind;
  document.querySelector("#tabs .dot")?.toggleAttribute("hidden", !bad);
  card.hidden = !bad;
  if (!bad) return;
  card.replaceChildren(
    make("h3", null, errors.title, errors.place && make("span.dim.mono", null, `  ${errors.place}`)),
    make("div", null, errors.message),
    errors.about && make("div.dim", null, errors.about),
    make(
      "pre",
      null,
      errors.lines.map(([number, text, failing]) =>
        make(failing ? "div.failing" : "div", null, `${String(number).padStart(4)}  ${text}`),
      ),
    ),
    errors.others.map((x) => make("div.mono", null, x)),
  );
}

export function logPanel() {
  const lines = make("div.scroll", { id: "log-lines" }),
    filter = make("input.wide", { type: "search", placeholder: "filter", ariaLabel: "filter the log" });
  const filterLine = (line) => {
    line.hidden = !line.textContent.toLowerCase().includes(filter.value.toLowerCase());
  };
  filter.oninput = () => [...lines.children].forEach(filterLine);
  follow({ what: "log", hz: 10 }, (found) => {
    const atEnd = lines.scrollTop + lines.clientHeight >= lines.scrollHeight - 30;
    for (const [, tick, level, text] of found ?? []) {
      const line = make(`div.line.${level}`, null, make("span.at", null, String(tick)), make("span.text", null, text));
      filterLine(line);
      lines.append(line);
    }
    while (lines.children.length > 1000) lines.firstChild.remove();
    if (atEnd) lines.scrollTop = lines.scrollHeight;
  });
  follow({ what: "errors", hz: 4 }, drawErrors);
  return make(
    "div.panel",
    null,
    make("div.card", { id: "error-card", hidden: true }),
    make("div.bar", null, filter),
    lines,
  );
}
export { grid };
