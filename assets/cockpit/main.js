// The cockpit page: time bar at the top, entities on the left, inspector on the right, tabs in the middle.
// Keyboard shortcuts and the palette share one table of commands.
import { request, connect } from "./wire.js";
import { world, changes } from "./world.js";
import { $, make, listKeys, notify, showError, count } from "./kit.js";
import * as entities from "./entities.js";
import * as inspector from "./inspector.js";
import * as luaConsole from "./console.js";
import * as watches from "./watch.js";
import * as systems from "./systems.js";
import * as map from "./map.js";
import * as frames from "./frames.js";
import * as timeTab from "./time.js";
import * as events from "./events.js";
import * as files from "./files.js";
import * as gamePanels from "./panels.js";
import * as kinds from "./kinds.js";
import * as levels from "./levels.js";
import * as match from "./match.js";

const tabs = [
  ["Systems", systems.systemsPanel(), systems.systemsShown, systems.systemsHidden],
  ["Map", map.panel(), map.shown, map.hidden],
  ["Frames", frames.panel(), frames.shown, frames.hidden],
  ["Time", timeTab.panel(), timeTab.shown, timeTab.hidden],
  ["Console", luaConsole.panel(), luaConsole.shown],
  ["Watch", watches.panel(), watches.shown, watches.hidden],
  ["Events", events.panel(), events.shown, events.hidden],
  ["Tables", systems.tablesPanel(), systems.tablesShown, systems.tablesHidden],
  ["Files", files.panel(), files.shown],
  [
    "Log",
    systems.logPanel(),
    () => {
      $("log-lines").scrollTop = 1e9;
    },
  ],
  ["Panels", gamePanels.panel(), gamePanels.shown, gamePanels.hidden],
  ["Kinds", kinds.panel(), kinds.shown],
  ["Levels", levels.panel(), levels.shown, levels.hidden],
  ["Match", match.panel(), match.shown, match.hidden],
];

function openTab(opened) {
  tabs.forEach(([name, panel, shown, hidden], i) => {
    const on = name === opened;
    panel.hidden = !on;
    $("tabs").children[i].setAttribute("aria-selected", on);
    if (on) {
      localStorage.setItem("tab", name);
      shown();
    } else hidden?.();
  });
}

// --- time

const time = (action, more) => request("time", { action, ...more }).catch(showError);
const togglePause = () =>
  world.state.paused && !world.state.held ? watches.resume() : time(world.state.held ? "go" : "hold");
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

function drawState() {
  const s = world.state,
    badge = $("state");
  badge.textContent = s.gone
    ? "not connected"
    : !s.runs
      ? "cannot start"
      : s.held
        ? "paused"
        : s.replay
          ? "replay"
          : s.paused
            ? "paused by the game"
            : s.again
              ? "replaying"
              : "running";
  badge.className = `badge ${s.gone || !s.runs ? "gone" : s.held ? "held" : "runs"}`;
  document.body.classList.toggle("gone", !!s.gone);
  if (s.gone) return;
  $("title").textContent = world.game.title ?? "";
  $("tick").textContent = s.tick;
  $("count").textContent = count(s.entities, "entity", "entities");
  const scrub = $("scrub");
  scrub.disabled = !s.has_past;
  scrub.min = s.first;
  scrub.max = s.last;
  if (!scrub.dataset.held) scrub.value = s.tick;
  const rate = world.game.tick_rate || 60;
  $("span").textContent = s.has_past ? `${((s.tick - s.first) / rate).toFixed(1)} s of history` : "no history";
  $("speed").value = String(s.speed);
  $("toggle").textContent = s.held ? "▶" : "❚❚";
}

function initTime() {
  const buttons = [
    ["◀◀", "step back one second", () => time("step", { ticks: -60 })],
    ["◀", "step back one tick (←)", () => time("step", { ticks: -1 })],
    ["❚❚", "pause or resume (Space)", togglePause],
    ["▶|", "step forward one tick (→)", () => time("step", { ticks: 1 })],
    ["↻", "replay the same input (F7)", () => time("again")],
  ];
  $("transport").append(
    ...buttons.map(([symbol, title, onclick], i) =>
      make("button", { title, onclick, id: i === 2 ? "toggle" : "" }, symbol),
    ),
  );
  $("speed").append(...SPEEDS.map((x) => make("option", { value: x }, `× ${x}`)));
  $("speed").onchange = () => time("speed", { speed: Number($("speed").value) });
  const scrub = $("scrub");
  let seeking = false,
    next = null;
  const seek = async () => {
    // Only one request is pending at a time; afterwards, the latest tick is sent.
    if (seeking) return;
    for (seeking = true; next !== null;) {
      const tick = next;
      next = null;
      await time("seek", { tick });
    }
    seeking = false;
  };
  scrub.onpointerdown = () => {
    scrub.dataset.held = "1";
  };
  scrub.onpointerup = () => {
    delete scrub.dataset.held;
  };
  scrub.oninput = () => {
    next = Number(scrub.value);
    seek();
  };
  changes.addEventListener("state", drawState);
  changes.addEventListener("loaded", drawState);
}

// --- commands

function toggleTheme() {
  const dark = document.documentElement.dataset.theme === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
  watches.shown();
}

// Focuses the first focusable element of a box, preferably one in its scrolling area or map.
const focusFirst = (box) => {
  const all = [...$(box).querySelectorAll("input, button, select, textarea, canvas[tabindex], [tabindex='0']")].filter(
    (x) => x.offsetParent && !x.disabled,
  );
  (all.find((x) => x.closest(".scroll, .map")) ?? all[0] ?? $("search")).focus();
};
// Commands are declared in commands.json and by the game, and shared with the overlay in the game's window. A command
// is either a request to the game or one of these actions.
const actions = {
  search: () => $("search").focus(),
  list: () => $("entity-list").focus(),
  panel: () => focusFirst("panels"),
  fields: () => focusFirst("inspector"),
  open: openTab,
  theme: toggleTheme,
  console: () => openTab("Console"),
  bookmark: timeTab.bookmark,
  before: () => timeTab.goToBookmark(-1),
  next: () => timeTab.goToBookmark(1),
  undo: inspector.undo,
  changes: () => timeTab.compare({ a: Math.max(0, world.state.tick - 1) }),
  trace: frames.save,
  link: () => navigator.clipboard.writeText(location.href).then(() => notify("Copied")),
};
let commands = []; // [name, key, action, help, row of the table]

async function loadCommands() {
  const table = (await request("commands")).commands.filter((x) => x.ask || x.page);
  commands = table.flatMap((x) =>
    x.each === "tabs"
      ? tabs.map(([name], i) => [x.name.replace("$name", name), String(i + 1), () => actions[x.page](name)])
      : [[x.name, x.key ?? "", x.page ? actions[x.page] : () => runRequest(x).catch(showError), x.help, x]],
  );
  luaConsole.setCommands(
    commands.map(([name, key, run, help, x]) => ({
      name,
      key: key && keyName(key),
      help,
      run: x?.ask && !x.page ? () => runRequest(x) : run,
    })),
  );
  document.body.dataset.ready = ""; // for tests: from now on, keyboard shortcuts work
  if ($("palette").open) drawPalette();
}

async function runRequest(command) {
  const { do: name, ...more } = command.ask,
    answer = await request(name, more);
  if (name === "spawn") notify(`#${answer.result}: ${more.assemblage}`);
  if (name === "ghosts") timeTab.notifyGhosts(answer.count);
  return answer;
}

const keyName = (key) => ({ Left: "←", Right: "→", Delete: "Del" })[key] ?? key.replace("Ctrl+", "Ctrl ");
let matches = [],
  selected = 0;

function drawPalette() {
  const parts = $("palette-input").value.toLowerCase().split(/\s+/).filter(Boolean);
  matches = commands.filter(([name]) => parts.every((word) => name.toLowerCase().includes(word)));
  selected = Math.max(0, Math.min(selected, matches.length - 1));
  $("palette-list").replaceChildren(
    ...matches.map(([name, key, , help], i) =>
      make(
        i === selected ? "li.chosen" : "li",
        { onclick: () => runCommand(i) },
        make("span", null, name, help && make("span.dim", null, `  ${help}`)),
        key && make("kbd.key", null, keyName(key)),
      ),
    ),
  );
  $("palette-list").children[selected]?.scrollIntoView({ block: "nearest" });
}
function runCommand(i) {
  $("palette").close();
  matches[i]?.[2]();
}
function openPalette() {
  $("palette-input").value = "";
  selected = 0;
  drawPalette();
  $("palette").showModal();
}

function initPalette() {
  $("palette-open").onclick = openPalette;
  $("palette-input").oninput = () => {
    selected = 0;
    drawPalette();
  };
  $("palette").onkeydown = listKeys(
    (by) => {
      selected += by;
      drawPalette();
    },
    () => runCommand(selected),
  );
}

function handleKey(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") {
    event.preventDefault();
    $("palette").open ? $("palette").close() : openPalette();
    return;
  }
  if ($("palette").open || event.altKey) return;
  const isTyping = event.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
  if (event.key === "Enter" && event.target.matches("a:not([href]), th, .chip")) {
    event.preventDefault();
    event.target.click();
    return;
  }
  // Space activates a focused control
  if (event.key === " " && event.target.matches("button, summary, [type=checkbox], [type=radio]")) return;
  if (event.key === "Escape" && isTyping) event.target.blur();
  if (isTyping || (event.target.matches("[type=range]") && event.key.startsWith("Arrow"))) return;
  const plain = { " ": "Space", ArrowLeft: "Left", ArrowRight: "Right" }[event.key] ?? event.key;
  const key = event.ctrlKey || event.metaKey ? `Ctrl+${plain.toUpperCase()}` : plain;
  const command = commands.find((x) => x[1] === key);
  if (!command) return;
  event.preventDefault();
  command[2]();
}

document.documentElement.dataset.theme =
  localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
$("tabs").append(
  ...tabs.map(([name]) =>
    make(
      "button",
      { role: "tab", onclick: () => openTab(name) },
      name,
      name === "Log" && make("span.dot", { hidden: true, title: "errors" }),
    ),
  ),
);
$("panels").append(...tabs.map(([, panel]) => panel));
$("tabs").onkeydown = (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key],
    at = [...$("tabs").children].indexOf(event.target);
  if (!by || at < 0) return;
  event.preventDefault();
  event.stopPropagation(); // otherwise the arrow key would also step the game
  const next = $("tabs").children[(at + by + tabs.length) % tabs.length];
  next.click();
  next.focus();
};
document.addEventListener("tab", (event) => openTab(event.detail));
document.addEventListener("keydown", handleKey);
document.addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest("button, [type=checkbox]")?.blur();
}); // removes the focus after a mouse click, so that Space triggers its command again
addEventListener("resize", () => tabs.find((_, i) => $("tabs").children[i].ariaSelected === "true")?.[2]());
changes.addEventListener("loaded", () => loadCommands().catch(showError));
initTime();
initPalette();
timeTab.init();
watches.init();
entities.init();
inspector.init();
openTab(tabs.some(([name]) => name === localStorage.getItem("tab")) ? localStorage.getItem("tab") : "Map");
connect();
