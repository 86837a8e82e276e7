// The page: time bar at the top, entities on the left, inspector on the right, panels in the middle. Keys and palette
// share one table of commands.
import { ask, connect } from "./wire.js";
import { world, changes } from "./world.js";
import { $, make, tell, complain } from "./kit.js";
import * as entities from "./entities.js";
import * as inspector from "./inspector.js";
import * as lua from "./console.js";
import * as watches from "./watch.js";
import * as systems from "./systems.js";
import * as map from "./map.js";
import * as frames from "./frames.js";
import * as past from "./time.js";
import * as events from "./events.js";
import * as files from "./files.js";
import * as own from "./panels.js";

const tabs = [
  ["Systems", systems.systemsPanel(), systems.systemsShown, systems.systemsHidden],
  ["Map", map.panel(), map.shown, map.hidden],
  ["Frames", frames.panel(), frames.shown, frames.hidden],
  ["Time", past.panel(), past.shown, past.hidden],
  ["Console", lua.panel(), lua.shown],
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
  ["Panels", own.panel(), own.shown, own.hidden],
];

function open(word) {
  tabs.forEach(([name, panel, shown, hidden], i) => {
    const on = name === word;
    panel.hidden = !on;
    $("tabs").children[i].setAttribute("aria-selected", on);
    if (on) {
      localStorage.setItem("tab", word);
      shown();
    } else hidden?.();
  });
}

// --- time

const time = (action, more) => ask("time", { action, ...more }).catch(complain);
const toggle = () =>
  world.state.paused && !world.state.held ? watches.goOn() : time(world.state.held ? "go" : "hold");
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

function drawState() {
  const s = world.state,
    badge = $("state");
  const word = s.gone
    ? "not connected"
    : !s.runs
      ? "cannot start"
      : s.held
        ? "held"
        : s.replay
          ? "replay"
          : s.paused
            ? "paused"
            : s.again
              ? "replaying"
              : "running";
  badge.textContent = word;
  badge.className = `badge ${s.gone || !s.runs ? "gone" : s.held ? "held" : "runs"}`;
  document.body.classList.toggle("gone", !!s.gone);
  if (s.gone) return;
  $("title").textContent = world.game.title ?? "";
  $("tick").textContent = s.tick;
  $("count").textContent = `${s.entities} entities`;
  const scrub = $("scrub");
  scrub.disabled = !s.has_past;
  scrub.min = s.first;
  scrub.max = s.last;
  if (!scrub.dataset.held) scrub.value = s.tick;
  const rate = world.game.tick_rate || 60;
  $("span").textContent = s.has_past ? `${((s.tick - s.first) / rate).toFixed(1)} s back` : "no history";
  $("speed").value = String(s.speed);
  $("toggle").textContent = s.held ? "▶" : "❚❚";
}

function beginTime() {
  const deeds = [
    ["◀◀", "back one second", () => time("step", { ticks: -60 })],
    ["◀", "back one tick (←)", () => time("step", { ticks: -1 })],
    ["❚❚", "hold or resume (Space)", toggle],
    ["▶|", "forward one tick (→)", () => time("step", { ticks: 1 })],
    ["↻", "replay the same input (F7)", () => time("again")],
  ];
  $("transport").append(
    ...deeds.map(([word, title, deed], i) =>
      make("button", { title, onclick: deed, id: i === 2 ? "toggle" : "" }, word),
    ),
  );
  $("speed").append(...SPEEDS.map((x) => make("option", { value: x }, `× ${x}`)));
  $("speed").onchange = () => time("speed", { speed: Number($("speed").value) });
  const scrub = $("scrub");
  let going = false,
    next = null;
  const seek = async () => {
    // one request at a time, the latest wins
    if (going) return;
    for (going = true; next !== null;) {
      const tick = next;
      next = null;
      await time("seek", { tick });
    }
    going = false;
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
  changes.addEventListener("learned", drawState);
}

// --- commands

function theme() {
  const dark = document.documentElement.dataset.theme === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
  watches.shown();
}

// Commands come from commands.json and the game; the overlay in the game's window uses the same. A command is a request
// to the game or one of these functions.
const near = (box) => {
  // first focusable element in it
  const all = [...$(box).querySelectorAll("input, button, select, textarea, canvas[tabindex], [tabindex='0']")].filter(
    (x) => x.offsetParent && !x.disabled,
  );
  (all.find((x) => x.closest(".scroll, .map")) ?? all[0] ?? $("search")).focus();
};
const words = {
  search: () => $("search").focus(),
  list: () => $("entity-list").focus(),
  panel: () => near("panels"),
  fields: () => near("inspector"),
  open,
  theme,
  console: () => open("Console"),
  bookmark: past.bookmark,
  before: () => past.toMark(-1),
  next: () => past.toMark(1),
  changes: () => past.compare({ a: Math.max(0, world.state.tick - 1) }),
  trace: frames.save,
  link: () => navigator.clipboard.writeText(location.href).then(() => tell("Copied")),
};
let commands = []; // [name, key, action]

async function learnCommands() {
  const table = (await ask("commands")).commands.filter((x) => x.ask || x.page);
  commands = table.flatMap((x) =>
    x.each === "tabs"
      ? tabs.map(([name], i) => [x.name.replace("$name", name), String(i + 1), () => words[x.page](name)])
      : [[x.name, x.key ?? "", x.page ? words[x.page] : () => deed(x), x.help]],
  );
  document.body.dataset.ready = ""; // keys are handled from now on
  if ($("palette").open) drawPalette();
}

async function deed(command) {
  const { do: what, ...more } = command.ask;
  try {
    const { result, count } = await ask(what, more);
    if (what === "spawn") tell(`#${result}: ${more.assemblage}`);
    if (what === "ghosts") past.tellGhosts(count);
  } catch (error) {
    complain(error);
  }
}

const keyName = (key) => ({ Left: "←", Right: "→", Delete: "Del" })[key] ?? key.replace("Ctrl+", "Ctrl ");
let found = [],
  chosen = 0;

function drawPalette() {
  const parts = $("palette-input").value.toLowerCase().split(/\s+/).filter(Boolean);
  found = commands.filter(([name]) => parts.every((word) => name.toLowerCase().includes(word)));
  chosen = Math.max(0, Math.min(chosen, found.length - 1));
  $("palette-list").replaceChildren(
    ...found.map(([name, key, , help], i) =>
      make(
        i === chosen ? "li.chosen" : "li",
        { onclick: () => act(i) },
        make("span", null, name, help && make("span.dim", null, `  ${help}`)),
        key && make("kbd.key", null, keyName(key)),
      ),
    ),
  );
  $("palette-list").children[chosen]?.scrollIntoView({ block: "nearest" });
}
function act(i) {
  $("palette").close();
  found[i]?.[2]();
}
function openPalette() {
  $("palette-input").value = "";
  chosen = 0;
  drawPalette();
  $("palette").showModal();
}

function beginPalette() {
  $("palette-open").onclick = openPalette;
  $("palette-input").oninput = () => {
    chosen = 0;
    drawPalette();
  };
  $("palette").onkeydown = (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      chosen += event.key === "ArrowDown" ? 1 : -1;
      drawPalette();
    } else if (event.key === "Enter") act(chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

function keys(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") {
    event.preventDefault();
    $("palette").open ? $("palette").close() : openPalette();
    return;
  }
  if ($("palette").open || event.altKey) return;
  const writes = event.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
  if (event.key === "Enter" && event.target.matches("a:not([href]), th, .chip")) {
    event.preventDefault();
    event.target.click();
    return;
  }
  if (event.key === " " && event.target.matches("button, summary, [type=checkbox], [type=radio]")) return; // Space presses it
  if (event.key === "Escape" && writes) event.target.blur();
  if (writes || (event.target.matches("[type=range]") && event.key.startsWith("Arrow"))) return;
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
      { role: "tab", onclick: () => open(name) },
      name,
      name === "Log" && make("span.dot", { hidden: true, title: "something failed" }),
    ),
  ),
);
$("panels").append(...tabs.map(([, panel]) => panel));
$("tabs").onkeydown = (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key],
    at = [...$("tabs").children].indexOf(event.target);
  if (!by || at < 0) return;
  event.preventDefault();
  event.stopPropagation(); // keep the page from stepping the game
  const next = $("tabs").children[(at + by + tabs.length) % tabs.length];
  next.click();
  next.focus();
};
document.addEventListener("tab", (event) => open(event.detail));
document.addEventListener("keydown", keys);
document.addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest("button, [type=checkbox]")?.blur();
}); // after a mouse click, Space is a command again
addEventListener("resize", () => tabs.find((_, i) => $("tabs").children[i].ariaSelected === "true")?.[2]());
changes.addEventListener("learned", () => learnCommands().catch(complain));
beginTime();
beginPalette();
past.begin();
watches.begin();
entities.begin();
inspector.begin();
open(tabs.some(([name]) => name === localStorage.getItem("tab")) ? localStorage.getItem("tab") : "Systems");
connect();
