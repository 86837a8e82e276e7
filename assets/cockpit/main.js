// The page: the bar of time above, entities on the left, what is picked on the right, panels between; every command is
// in one table, which the keys and the palette read.
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
  ["Log", systems.logPanel(), () => { $("log-lines").scrollTop = 1e9; }],
];

function open(word) {
  tabs.forEach(([name, panel, shown, hidden], i) => {
    const on = name === word;
    panel.hidden = !on;
    $("tabs").children[i].setAttribute("aria-selected", on);
    if (on) { localStorage.setItem("tab", word); shown(); } else hidden?.();
  });
}

// --- time

const time = (action, more) => ask("time", { action, ...more }).catch(complain);
const toggle = () => (world.state.paused && !world.state.held ? watches.goOn() : time(world.state.held ? "go" : "hold"));
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

function drawState() {
  const s = world.state, badge = $("state");
  const word = s.gone ? "not connected" : !s.runs ? "cannot start" : s.held ? "held" : s.replay ? "replay" : s.paused ? "paused" : s.again ? "again" : "runs";
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
  const deeds = [["◀◀", "back a second", () => time("step", { ticks: -60 })], ["◀", "one tick back (←)", () => time("step", { ticks: -1 })],
    ["❚❚", "hold, or go on (Space)", toggle], ["▶|", "one tick on (→)", () => time("step", { ticks: 1 })], ["↻", "on with the same input (F7)", () => time("again")]];
  $("transport").append(...deeds.map(([word, title, deed], i) => make("button", { title, onclick: deed, id: i === 2 ? "toggle" : "" }, word)));
  $("speed").append(...SPEEDS.map((x) => make("option", { value: x }, `× ${x}`)));
  $("speed").onchange = () => time("speed", { speed: Number($("speed").value) });
  const scrub = $("scrub");
  let going = false, next = null;
  const seek = async () => { // one at a time, the latest wins
    if (going) return;
    for (going = true; next !== null;) { const tick = next; next = null; await time("seek", { tick }); }
    going = false;
  };
  scrub.onpointerdown = () => { scrub.dataset.held = "1"; };
  scrub.onpointerup = () => { delete scrub.dataset.held; };
  scrub.oninput = () => { next = Number(scrub.value); seek(); };
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

const commands = [
  ["Hold, or go on", " ", toggle], ["One tick back", "ArrowLeft", () => time("step", { ticks: -1 })], ["One tick on", "ArrowRight", () => time("step", { ticks: 1 })],
  ["On with the same input", "", () => time("again")], ["Search entities", "/", () => $("search").focus()],
  ...tabs.map(([name], i) => [`Open ${name}`, String(i + 1), () => open(name)]),
  ["Bookmark this tick", "b", past.bookmark], ["To the bookmark before", "[", () => past.toMark(-1)], ["To the next bookmark", "]", () => past.toMark(1)],
  ["Ghosts of what is picked", "g", past.showGhosts], ["What did this tick change?", "c", () => past.compare({ a: Math.max(0, world.state.tick - 1) })],
  ["Save frames as a trace", "", frames.save],
  ["Undo the last change", "Ctrl+z", inspector.undo], ["Duplicate what is picked", "Ctrl+d", inspector.duplicate], ["Destroy what is picked", "Delete", inspector.destroy],
  ["Reload the game's files", "", () => ask("reload").catch(complain)], ["Restart the game", "", () => ask("restart").catch(complain)],
  ["Slow motion", "", () => time("speed", { speed: 0.25 })], ["Speed as it is meant", "", () => time("speed", { speed: 1 })],
  ["Light or dark", "", theme],
  ["Copy the link", "", () => navigator.clipboard.writeText(location.href).then(() => tell("Copied"))],
];

function all() {
  return commands.concat(world.schema.assemblages.map((x) => [`Spawn ${x.name}`, "", async () => {
    try { const { result } = await ask("spawn", { assemblage: x.name }); tell(`#${result}: ${x.name}`); } catch (error) { complain(error); }
  }]));
}

const keyName = (key) => ({ " ": "Space", ArrowLeft: "←", ArrowRight: "→", Delete: "Del" }[key] ?? key.replace("Ctrl+", "Ctrl ").replace(/ ([a-z])$/, (x) => x.toUpperCase()));
let found = [], chosen = 0;

function drawPalette() {
  const words = $("palette-input").value.toLowerCase().split(/\s+/).filter(Boolean);
  found = all().filter(([name]) => words.every((word) => name.toLowerCase().includes(word)));
  chosen = Math.max(0, Math.min(chosen, found.length - 1));
  $("palette-list").replaceChildren(...found.map(([name, key], i) => make(i === chosen ? "li.chosen" : "li", { onclick: () => act(i) }, name, key && make("kbd.key", null, keyName(key)))));
  $("palette-list").children[chosen]?.scrollIntoView({ block: "nearest" });
}
function act(i) { $("palette").close(); found[i]?.[2](); }
function openPalette() { $("palette-input").value = ""; chosen = 0; drawPalette(); $("palette").showModal(); }

function beginPalette() {
  $("palette-open").onclick = openPalette;
  $("palette-input").oninput = () => { chosen = 0; drawPalette(); };
  $("palette").onkeydown = (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { chosen += event.key === "ArrowDown" ? 1 : -1; drawPalette(); } else if (event.key === "Enter") act(chosen); else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

function keys(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") { event.preventDefault(); $("palette").open ? $("palette").close() : openPalette(); return; }
  if ($("palette").open || event.altKey) return;
  const writes = event.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && writes) event.target.blur();
  if (writes || (event.target.matches("[type=range]") && event.key.startsWith("Arrow"))) return;
  const key = (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + event.key;
  const command = commands.find((x) => x[1] === key);
  if (!command) return;
  event.preventDefault();
  command[2]();
}

document.documentElement.dataset.theme = localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
$("tabs").append(...tabs.map(([name]) => make("button", { role: "tab", onclick: () => open(name) }, name, name === "Log" && make("span.dot", { hidden: true, title: "something failed" }))));
$("panels").append(...tabs.map(([, panel]) => panel));
document.addEventListener("tab", (event) => open(event.detail));
document.addEventListener("keydown", keys);
addEventListener("resize", () => tabs.find((_, i) => $("tabs").children[i].ariaSelected === "true")?.[2]());
beginTime();
beginPalette();
past.begin();
watches.begin();
entities.begin();
inspector.begin();
open(tabs.some(([name]) => name === localStorage.getItem("tab")) ? localStorage.getItem("tab") : "Systems");
connect();
