// Console for commands, Lua and SQL: completion, and results as trees, grids and plots.
import { request } from "./wire.js";
import { world, changes, pick } from "./world.js";
import { $, make, grid } from "./kit.js";
import { drawPlot, watch } from "./watch.js";

const lineHistory = JSON.parse(localStorage.getItem("console") ?? "[]");
let lineIndex = lineHistory.length;
const SQL = /^\s*(select|with|insert|update|delete|replace|explain|values)\b/i;
const LINES = ["--accent", "#e0803a", "#45a86b", "#b06fd0", "#c9a227"];

// --- results

function leafView(kind, text) {
  const entity = kind !== "string" && /^entity\((\d+):(\d+)/.exec(text);
  if (entity) return make("a.link", { onclick: () => pick(Number(entity[2]) * 4194304 + Number(entity[1])) }, text);
  return make(`span.${kind}`, null, kind === "string" ? JSON.stringify(text) : text);
}
function treeView([kind, text, children], key, open) {
  const label = key === undefined ? null : make("span.key", null, `${key} `);
  if (!children?.length) return make("div.leaf", null, label, leafView(kind, text));
  return make(
    "details",
    { open },
    make("summary", null, label, make("span.dim", null, `{ ${text} }`)),
    children.map(([inner, node]) => treeView(node, inner, false)),
  );
}
function showTree(entry, result) {
  let nodes;
  try {
    nodes = JSON.parse(result);
  } catch {
    return entry.append(make("pre", null, result));
  }
  if (!Array.isArray(nodes) || nodes.length === 0) return entry.append(make("div.dim", null, "done"));
  for (const node of nodes)
    entry.append(
      node[2]
        ? treeView(node, undefined, true)
        : make("pre", null, leafView(node[0] === "string" ? "text" : node[0], node[1])),
    );
}

export function plotRows(columns, rows) {
  const numeric = columns.map((_, i) => i).filter((i) => rows.some((row) => typeof row[i] === "number"));
  const xColumn =
    numeric.length > 1 && rows.every((row, i) => i === 0 || row[numeric[0]] > rows[i - 1][numeric[0]])
      ? numeric[0]
      : -1;
  const series = numeric
    .filter((i) => i !== xColumn && !/^(entity|component_data_id)$/.test(columns[i]))
    .slice(0, LINES.length);
  const canvas = make("canvas.plotted");
  requestAnimationFrame(() =>
    drawPlot(
      canvas,
      series.map((i, k) => ({
        points: rows.map((row, n) => [xColumn < 0 ? n : row[xColumn], row[i]]).filter((x) => typeof x[1] === "number"),
        style: LINES[k],
      })),
    ),
  );
  return make(
    "div",
    null,
    canvas,
    make(
      "div.dim",
      null,
      series.map((i, k) => {
        const x = make("span.legend", null, `— ${columns[i]}  `);
        x.style.color = LINES[k].startsWith("--") ? `var(${LINES[k]})` : LINES[k];
        return x;
      }),
    ),
  );
}
function showGrid(entry, { columns, rows, more }, text) {
  const plotted = rows.some((row) => row.some((x) => typeof x === "number")),
    extra = make("div");
  entry.append(
    make(
      "div.dim",
      null,
      `${more ? "first " : ""}${rows.length} row${rows.length === 1 ? "" : "s"} `,
      plotted &&
        rows.length > 1 &&
        make(
          "button.plain",
          { onclick: () => extra.replaceChildren(...(extra.firstChild ? [] : [plotRows(columns, rows)])) },
          "Plot",
        ),
      plotted &&
        make("button.plain", { onclick: () => watch(text), title: "plot the first number over time" }, "Watch"),
    ),
    extra,
    make("div.grid", null, grid(columns, rows, pick)),
  );
}

// --- commands

let commands = []; // { name, key, help, run }; `run` returns the answer of a request, or undefined
export function setCommands(list) {
  commands = list;
}
// Finds the command whose name is the line, in the same way as the game does (engine/tools/cockpit/commands.c).
function findCommand(text) {
  const name = text.trim();
  return (
    commands.find((x) => x.name === name) ?? commands.find((x) => x.name.toLowerCase() === name.toLowerCase()) ?? null
  );
}
function showCommands(entry, part) {
  const found = commands.filter((x) => x.name.toLowerCase().includes(part.toLowerCase()));
  entry.append(
    found.length === 0
      ? make("div.dim", null, "no matching command")
      : make(
          "table.commands",
          null,
          found.map((x) =>
            make(
              "tr",
              null,
              make("td", null, make("a", { onclick: () => run(x.name) }, x.name)),
              make("td", null, x.key && make("kbd.key", null, x.key)),
              make("td.dim", null, x.help),
            ),
          ),
        ),
  );
}

async function runLine(text, entry) {
  const command = findCommand(text),
    help = /^\s*help(?: ([\w \u0080-\uffff]*))?\s*$/i.exec(text);
  if (command) {
    const answer = await command.run();
    entry.append(answer?.result ? make("pre", null, answer.result) : make("div.dim", null, "done"));
  } else if (help) {
    showCommands(entry, (help[1] ?? "").trim());
  } else {
    const answer = await request("console", { text, limit: 500, tree: true, entity: world.picked });
    if (answer.columns) showGrid(entry, answer, text);
    else if (SQL.test(text))
      entry.append(make("pre", null, `${answer.result} row${answer.result === "1" ? "" : "s"} changed`));
    else showTree(entry, answer.result);
  }
}

const EXAMPLES = [
  ["help", "lists all commands"],
  ["SELECT assemblage, count(*) FROM entities GROUP BY 1", "queries the world"],
  ["e.transform", "prints a component of the selected entity"],
  ["world.random(6)", "runs Lua between two ticks, and is recorded"],
];
// Returns what the console shows while it is empty: lines to try.
function examples() {
  const rows = EXAMPLES.map(([text, about]) =>
    make(
      "p",
      null,
      make("button", { onclick: () => run(text) }, make("code", null, text)),
      make("span.dim", null, ` ${about}`),
    ),
  );
  return make(
    "div.empty",
    null,
    make("p", null, "Results of commands, SQL and Lua appear here. Enter a line below, or try:"),
    rows,
  );
}

export async function run(text) {
  const entry = make("div.entry", null, make("div.input", null, text)),
    out = $("console-out");
  out.querySelector(".empty")?.remove();
  out.append(entry);
  try {
    await runLine(text, entry);
  } catch (error) {
    entry.append(make("div.error", null, error.message));
  }
  while (out.children.length > 100) out.firstChild.remove();
  out.scrollTop = out.scrollHeight;
}

// --- completion: script functions, components and fields, SQL tables and columns

let definitions = new Map(), // keyed by the text before the last dot: [[name, hint], …]
  loaded = false;

function parseDefinitions(text) {
  let doc = "";
  for (const row of text.split("\n")) {
    const comment = /^---\s?([^@].*)/.exec(row),
      func = /^function ([\w.]+[:.])?(\w+)(\(.*?\))/.exec(row),
      table = /^(\w+) = \{\}/.exec(row);
    if (comment) doc ||= comment[1];
    else if (func || table) {
      const owner = func?.[1] ? func[1].slice(0, -1).toLowerCase() : "",
        found = func ? [func[2], func[3] + (doc ? `  ${doc}` : "")] : [table[1], doc];
      if (!definitions.has(owner)) definitions.set(owner, []);
      if (!definitions.get(owner).some((x) => x[0] === found[0])) definitions.get(owner).push(found);
      doc = "";
    } else if (!row.startsWith("---")) doc = "";
  }
}
const KEYWORDS = [
  "SELECT",
  "FROM",
  "WHERE",
  "ORDER BY",
  "GROUP BY",
  "LIMIT",
  "COUNT",
  "SUM",
  "AVG",
  "MIN",
  "MAX",
  "AND",
  "OR",
  "NOT",
  "UPDATE",
  "SET",
  "DELETE",
  "INSERT INTO",
  "VALUES",
  "JOIN",
  "LIKE",
  "DESC",
].map((x) => [x, ""]);
const LISTS = ["entities", "entity_components", "components", "assemblages", "events", "systems"].map((x) => [
  x,
  "list",
]);

function findCompletions(before) {
  const path = /([\w.:]*)$/.exec(before)[1],
    cut = Math.max(path.lastIndexOf("."), path.lastIndexOf(":")),
    owner = cut < 0 ? "" : path.slice(0, cut),
    word = path.slice(cut + 1);
  const components = world.schema.components.map((x) => [x.name, x.kind]),
    fields = (x) =>
      (x?.fields ?? []).map((f) => [f.name.replace(/\.\w+$/, ""), `${f.type}${f.unit ? `, ${f.unit}` : ""}`]);
  let all;
  if (SQL.test(before)) {
    const named = world.schema.components
      .concat(world.schema.events)
      .filter((x) => new RegExp(`\\b${x.name.replace(/\W/g, ".")}\\b`).test(before));
    all = owner
      ? (world.byName.get(owner)?.fields ?? []).map((f) => [f.column, f.type])
      : [
          ...named.flatMap((x) => x.fields.map((f) => [f.column, `${x.name}, ${f.type}`])),
          ["entity", ""],
          ...components,
          ...world.schema.events.map((x) => [x.name, "event"]),
          ...LISTS,
          ...KEYWORDS,
        ];
  } else if (/spawn(_many)?\(\s*["']\w*$/.test(before))
    all = world.schema.assemblages.map((x) => [x.name, `${x.alive} alive`]);
  else if (owner === "e") all = [...components.filter((x) => x[1] !== "single"), ...(definitions.get("entity") ?? [])];
  else if (owner.startsWith("e.")) all = fields(world.byName.get(owner.slice(2)));
  else if (owner.startsWith("world.single"))
    all =
      owner === "world.single"
        ? components.filter((x) => x[1] === "single")
        : fields(world.byName.get(owner.slice(13)));
  else all = owner ? (definitions.get(owner) ?? []) : [["e", "selected entity"], ...(definitions.get("") ?? [])];
  const prefix = word.toLowerCase(),
    seen = new Set();
  return [
    ...completeCommands(before),
    ...all
      .filter(([x]) => x.toLowerCase().startsWith(prefix) && x !== word && !seen.has(x) && seen.add(x))
      .map(([x, hint]) => [x, hint, word]),
  ].slice(0, 40);
}

// Returns the commands whose names begin with the line, as [name, hint, the text to replace].
function completeCommands(line) {
  const typed = line.trimStart().toLowerCase();
  if (!typed) return [];
  return [...commands, { name: "help", help: "list the commands" }]
    .filter((x) => x.name.toLowerCase().startsWith(typed) && x.name.toLowerCase() !== typed)
    .map((x) => [x.name, x.help || "command", line]);
}

let found = [], // [text, hint, the text to replace]
  chosen = 0;
const popup = () => $("completion");
function closePopup() {
  popup().hidden = true;
}
function drawPopup() {
  popup().hidden = found.length === 0;
  popup().replaceChildren(
    ...found.map(([word, hint], i) =>
      make(
        i === chosen ? "li.chosen" : "li",
        {
          onmousedown: (event) => {
            event.preventDefault();
            chosen = i;
            acceptCompletion();
          },
        },
        make("b", null, word),
        make("span.dim", null, ` ${hint}`),
      ),
    ),
  );
  popup().children[chosen]?.scrollIntoView({ block: "nearest" });
}
function showCompletions(forced) {
  const input = $("console-in");
  found = findCompletions(input.value.slice(0, input.selectionStart));
  chosen = 0;
  if (!forced && !/[.:]$/.test(input.value.slice(0, input.selectionStart))) found = found.filter((x) => x[2] !== "");
  drawPopup();
}
function acceptCompletion() {
  const input = $("console-in"),
    end = input.selectionStart;
  input.setRangeText(found[chosen][0], end - found[chosen][2].length, end, "end");
  closePopup();
}
async function loadDefinitions() {
  if (loaded) return;
  loaded = true;
  try {
    parseDefinitions((await request("definitions")).text);
  } catch {
    loaded = false;
  }
}

function handleKey(event) {
  const input = event.target,
    isSingleLine = !input.value.includes("\n"),
    open = !popup().hidden;
  const stop = () => {
    event.preventDefault();
    event.stopPropagation?.();
  };
  if (open && (event.key === "Tab" || (event.key === "Enter" && chosen > 0))) {
    stop();
    acceptCompletion();
  } else if (open && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    stop();
    chosen = Math.max(0, Math.min(found.length - 1, chosen + (event.key === "ArrowUp" ? -1 : 1)));
    drawPopup();
  } else if (open && event.key === "Escape") {
    stop();
    closePopup();
  } else if (event.ctrlKey && event.key === " ") {
    stop();
    showCompletions(true);
  } else if (event.ctrlKey && event.key === "l") {
    stop();
    $("console-out").replaceChildren(examples());
  } else if (event.key === "Enter" && !event.shiftKey) {
    stop();
    closePopup();
    if (!input.value.trim()) return;
    lineHistory.push(input.value);
    localStorage.setItem("console", JSON.stringify(lineHistory.slice(-100)));
    lineIndex = lineHistory.length;
    run(input.value);
    input.value = "";
  } else if (isSingleLine && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    lineIndex = Math.max(0, Math.min(lineHistory.length, lineIndex + (event.key === "ArrowUp" ? -1 : 1)));
    input.value = lineHistory[lineIndex] ?? "";
    stop();
  }
}

export function panel() {
  changes.addEventListener("loaded", loadDefinitions);
  return make(
    "div.panel",
    null,
    make("div.scroll", { id: "console-out" }, examples()),
    make(
      "div.typed",
      null,
      make("ul", { id: "completion", hidden: true }),
      make("textarea", {
        id: "console-in",
        onkeydown: handleKey,
        oninput: () => showCompletions(false),
        onblur: closePopup,
        spellcheck: false,
        ariaLabel: "command, Lua or SQL",
        placeholder:
          "a command, Lua or SQL; e is the selected entity; help lists the commands. " +
          "Enter: run · Tab: complete · ↑: previous line",
      }),
    ),
  );
}
export const shown = () => $("console-in").focus();
