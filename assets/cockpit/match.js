// Match panel: the players, the links to other machines, predictions and rollbacks of this machine, and sliders of the
// simulated network.
import { request, follow } from "./wire.js";
import { $, make, updateChildren, showError, makeTable, count } from "./kit.js";
import { drawPlot } from "./watch.js";

const WINDOW_MS = 3000, // rates are those of this time
  PLOT_MS = 60000,
  MAX_LINES = 8;
let end,
  samples = [], // received messages, oldest first, of the last PLOT_MS
  match = null;

// --- rates

// Returns the oldest message of the last WINDOW_MS, the beginning of the rates.
const findStart = () => samples.find((x) => x.now_ms >= match.now_ms - WINDOW_MS) ?? match;

// Returns how much a count has grown per second.
function rate(value) {
  const start = findStart(),
    seconds = (match.now_ms - start.now_ms) / 1000;
  return seconds > 0 ? Math.max(0, (value(match) - value(start)) / seconds) : 0;
}

// Returns the growth of a count as a share of that of another; null if the other has not grown.
function share(part, whole, start) {
  const grown = whole(match) - (start ? whole(start) : 0);
  return grown > 0 ? (part(match) - (start ? part(start) : 0)) / grown : null;
}

const fixed = (x) => (x === null ? "–" : x.toFixed(1));
const ticks = (x) => (x === null ? "–" : `${fixed(x)} ticks`);
const percent = (x) => (x === null ? "–" : `${(x * 100).toFixed(x > 0 && x < 0.01 ? 2 : 1)} %`);
const seconds = (ms) => `${Math.ceil(ms / 1000)} s`;

// --- this machine

const STATES = {
  joining: ["joining the match", "dim"],
  loading: ["loading the match", "dim"],
  waiting: ["waiting for players", "warn"],
  playing: ["playing", "good"],
  paused: ["paused by the host", "warn"],
  lost: ["the host is gone", "bad"],
  failed: ["cannot join the match", "bad"],
  ended: ["the match has ended", "dim"],
};

function stateFact() {
  const [text, style] = STATES[match.state] ?? [match.state, "dim"];
  if (match.state === "lost")
    return make("span.bad", null, `${text}: ${seconds(match.lost_ms)} of attempts to join again`);
  if (match.state === "failed") return make("span.bad", null, `${text}: ${match.failure.split("\n").join(" ")}`);
  if (match.silent_ms > 1500)
    return make("span.bad", null, `the host is silent: lost in ${seconds(Math.max(0, 10000 - match.silent_ms))}`);
  if (match.is_waiting) return make("span.warn", null, "12 ticks ahead: waiting for the host");
  if (match.is_repairing) return make("span.warn", null, "repairing a desync");
  return make(`span.${style}`, null, text);
}

function drawFacts() {
  const facts = [
    make("b", null, match.role === "peer" && match.has_host ? "peer of the host in this process" : match.role),
    stateFact(),
    make(
      "span",
      { title: "last tick that the host has confirmed" },
      make("span.dim", null, "tick "),
      make("span.mono", { id: "match-tick" }, String(match.tick)),
    ),
    match.role !== "host" &&
      make(
        "span",
        { title: "tick that this machine shows; it has predicted the inputs of the others" },
        make("span.dim", null, "predicted "),
        make("span.mono", null, `${match.predicted} (+${match.predicted - match.tick})`),
      ),
    match.is_proposing && make("span.warn", null, "machines try changed code"),
  ];
  updateChildren($("match-facts"), ...facts.filter(Boolean));
}

// [label, value, explanation]
function peerValues() {
  const start = findStart(),
    rollbacks = (x) => x.rollbacks,
    rerun = (x) => x.rerun_ticks;
  return [
    ["rollbacks per second", fixed(rate(rollbacks)), `${match.rollbacks} since the start`],
    [
      "mean depth",
      ticks(share(rerun, rollbacks, start)),
      `ticks that ran again for a rollback; ${ticks(share(rerun, rollbacks))} since the start`,
    ],
    ["maximum depth", count(match.max_depth, "tick"), "since the start; at most 12"],
    [
      "frames that waited",
      percent(
        share(
          (x) => x.waits,
          (x) => x.frames,
          start,
        ),
      ),
      `12 ticks ahead, a peer waits for the host; ${percent(
        share(
          (x) => x.waits,
          (x) => x.frames,
        ),
      )} since the start`,
    ],
    ["input delay", count(match.delay, "tick"), "at most 8; grows with the latency, so that fewer ticks are predicted"],
    ["inputs arrive early by", `${fixed(match.early_ms)} ms`, "before the host needs them; below 0, they are late"],
  ];
}

function drawValues() {
  const values = [
    ...(match.role === "host" ? [] : peerValues()),
    [
      "late inputs",
      match.late_inputs === null ? "known to the host" : String(match.late_inputs),
      "inputs of peers that arrived after their tick; the host replaces them by the latest ones",
    ],
    ["desyncs", String(match.desyncs), "states of this machine that differed from those of the host"],
  ];
  updateChildren(
    $("match-values"),
    ...values.map(([label, text, title]) =>
      make("div.match-value", { title }, make("span.dim", null, label), make("span.mono", null, text)),
    ),
  );
}

function drawPlots() {
  const at = (x) => Math.round((x.now_ms - match.now_ms) / 100) / 10;
  const axis = {
    points: [
      [at(samples[0]), 0],
      [at(samples[0]), 1],
    ],
    style: "transparent",
  }; // plots begin at 0
  const plot = (id, lines) => requestAnimationFrame(() => drawPlot($(id), [axis, ...lines]));
  const link = (value) => samples.filter((x) => x.links.length).map((x) => [at(x), Math.max(...x.links.map(value))]);
  const rates = samples.slice(1).map((x, i) => {
    const elapsed = (x.now_ms - samples[i].now_ms) / 1000;
    return [at(x), elapsed > 0 ? Math.max(0, x.rerun_ticks - samples[i].rerun_ticks) / elapsed : 0];
  });
  plot("match-ping", [
    { points: link((x) => x.ping_ms), style: "--accent" },
    { points: link((x) => x.jitter_ms), style: "--warn" },
  ]);
  plot("match-rerun", [{ points: rates, style: "--accent" }]);
  $("match-rerun").parentElement.hidden = match.role === "host";
  $("match-plots").hidden = !samples.some((x) => x.links.length);
}

// --- players and links

function playerState(x) {
  if (x.is_joining) return make("td.dim", null, "joining");
  if (!x.is_connected) return make("td.bad", null, x.absent_ms ? `lost: ${seconds(x.absent_ms)} to come back` : "lost");
  return match.state === "lost" && !x.is_local
    ? make("td.bad", null, "out of reach")
    : make("td.good", null, "connected");
}

function playerRow(x) {
  const swatch = make("span.match-swatch");
  swatch.style.background = x.colour;
  return make(
    "tr",
    null,
    make("td.number", null, String(x.number)),
    make("td", { title: x.colour }, swatch, x.name),
    make(x.is_local ? "td" : "td.dim", { title: x.machine }, x.machine),
    make("td.number", null, x.is_local ? "" : fixed(x.ping_ms)),
    make("td.number", null, x.is_local ? "" : fixed(x.jitter_ms)),
    playerState(x),
  );
}

function linkRow(x) {
  const before = findStart().links.find((y) => y.machine === x.machine) ?? x,
    elapsed = (match.now_ms - findStart().now_ms) / 1000,
    expected = x.expected - before.expected,
    lost = expected > 0 ? Math.max(0, 1 - (x.received - before.received) / expected) : null;
  const perSecond = (key) => (elapsed > 0 ? Math.max(0, x[key] - before[key]) / elapsed : 0);
  const kilobytes = (key) => fixed(perSecond(`${key}_bytes`) / 1000);
  return make(
    "tr",
    null,
    make("td", { title: x.machine }, x.machine, !x.is_live && make("span.warn", null, " catching up")),
    make("td.number", null, fixed(x.ping_ms)),
    make("td.number", null, fixed(x.jitter_ms)),
    make("td.number", { title: "of the datagrams that the other machine has sent" }, percent(lost)),
    make("td.number", { title: `${fixed(perSecond("received"))} datagrams per second` }, kilobytes("received")),
    make("td.number", { title: `${fixed(perSecond("sent"))} datagrams per second` }, kilobytes("sent")),
  );
}

function drawTables() {
  const total = (key) => match.links.reduce((sum, x) => sum + x[key], 0),
    all = (key) => rate((x) => x.links.reduce((sum, y) => sum + y[key], 0));
  updateChildren($("match-players"), ...match.players.map(playerRow));
  $("match-no-players").hidden = match.players.length > 0;
  updateChildren($("match-links"), ...match.links.map(linkRow));
  $("match-total").textContent =
    `${count(match.links.length, "link")}, ${fixed(all("received_bytes") / 1000)} KB/s in, ` +
    `${fixed(all("sent_bytes") / 1000)} KB/s out; ${fixed(total("received_bytes") / 1e6)} MB in, ` +
    `${fixed(total("sent_bytes") / 1e6)} MB out since the start`;
}

// --- lines

function drawLines(id, lines, none) {
  updateChildren(
    $(id),
    ...(lines.length
      ? lines
          .slice(-MAX_LINES)
          .reverse()
          .map(([tick, ok, text]) =>
            make(
              "div.line",
              null,
              make("span.at", null, String(tick)),
              make(ok ? "span.text.good" : "span.text.bad", null, text),
            ),
          )
      : [make("div.dim", null, none)]),
  );
}

// --- the simulated network

const SLIDERS = [
  ["round_trip_ms", "round trip", 500, 5, "ms"],
  ["jitter_ms", "jitter", 200, 5, "ms"],
  ["loss_percent", "loss", 50, 1, "%"],
];
let network = null, // conditions that the sliders show
  isSending = false,
  isChanged = false,
  dragged = null; // key of the slider that the user drags

// Only one request is pending at a time; afterwards, the latest values are sent.
async function sendNetwork() {
  if (isSending) return;
  isSending = true;
  while (isChanged) {
    isChanged = false;
    await request("net_sim", network).catch(showError);
  }
  isSending = false;
}

function moveSlider(key, value) {
  network = { ...network, [key]: value };
  network.jitter_ms = Math.min(network.jitter_ms, network.round_trip_ms); // the jitter is part of the round trip
  isChanged = true;
  drawNetwork();
  sendNetwork();
}

function slider([key, label, max, step, unit]) {
  const input = make("input", {
    type: "range",
    min: 0,
    max,
    step,
    id: `match-${key}`,
    ariaLabel: `simulated ${label}`,
  });
  input.onpointerdown = () => {
    dragged = key;
  };
  input.onpointerup = input.onchange = () => {
    dragged = null;
  };
  input.oninput = () => moveSlider(key, Number(input.value));
  return make(
    "div.widget.slider",
    null,
    make("span.dim", null, label),
    input,
    make("span.mono.number", { id: `match-${key}-text` }, unit),
  );
}

function drawNetwork() {
  for (const [key, , max, , unit] of SLIDERS) {
    const input = $(`match-${key}`),
      value = network[key];
    input.max = Math.max(max, value);
    if (dragged !== key) input.value = value;
    $(`match-${key}-text`).textContent = `${Number(value.toFixed(1))} ${unit}`;
    input.setAttribute("aria-valuetext", `${value} ${unit}`);
  }
}

function updateNetwork() {
  $("match-network").hidden = !match.network;
  $("match-no-network").hidden = !!match.network;
  $("match-command").textContent = match.command;
  if (!match.network || isSending || dragged) return;
  network = match.network;
  drawNetwork();
}

// --- the panel

function update(message, error) {
  if (error) return;
  const isNew = match && message.is_active && message.now_ms < match.now_ms; // another game
  match = message;
  $("match-empty").hidden = match.is_active;
  $("match-content").hidden = !match.is_active;
  if (!match.is_active) {
    samples = [];
    $("match-how").hidden = !match.has_players;
    $("match-undeclared").hidden = match.has_players;
    $("match-start").textContent = match.command;
    return;
  }
  samples = isNew ? [match] : [...samples.filter((x) => x.now_ms >= match.now_ms - PLOT_MS), match];
  drawFacts();
  drawTables();
  drawValues();
  drawPlots();
  drawLines("match-desyncs", match.desync_lines, "None: all machines have computed the same states.");
  drawLines(
    "match-reloads",
    match.reloads,
    match.shares_code
      ? "None yet: save a file of the game."
      : "Start all machines with --share-code to change the game in a match.",
  );
  updateNetwork();
}

const block = (title, ...children) => make("section.block", { ariaLabel: title }, make("h3", null, title), ...children);
const plot = (id, ...title) =>
  make("div.plot", null, make("div.head", null, make("span.expression.dim", null, ...title)), make("canvas", { id }));
const header = (words) => words.map((word, i) => make(word[1] ? "th.number" : "th", { title: word[2] ?? "" }, word[0]));

function emptyPage() {
  return make(
    "div.empty",
    { id: "match-empty", hidden: true },
    make(
      "p",
      null,
      "Players, pings, predictions, rollbacks and traffic of a match between machines appear here, " +
        "with sliders of the simulated network.",
    ),
    make(
      "p",
      { id: "match-how" },
      "This game does not play a match. Start one on this machine, over a simulated network:",
      make("br"),
      make("code", { id: "match-start" }),
    ),
    make(
      "p",
      { id: "match-undeclared" },
      "This game declares no players: add ",
      make("code", null, "multiplayer = { players = { 2, 8 } }"),
      " to game.lua.",
    ),
  );
}

export function panel() {
  const players = header([["#", 1], ["player"], ["machine"], ["ping ms", 1], ["jitter ms", 1], ["connection"]]);
  const links = header([["machine"], ["ping ms", 1], ["jitter ms", 1], ["lost", 1], ["KB/s in", 1], ["KB/s out", 1]]);
  return make(
    "div.panel",
    null,
    make(
      "div.scroll",
      { tabIndex: 0, ariaLabel: "match" },
      emptyPage(),
      make(
        "div",
        { id: "match-content", hidden: true },
        make("div.bar.facts", { id: "match-facts" }),
        makeTable(players, { id: "match-players" }),
        make("div.block.dim", { id: "match-no-players" }, "No player takes part yet."),
        block("This machine", make("div", { id: "match-values" })),
        make(
          "div",
          { id: "match-plots" },
          plot(
            "match-ping",
            make("span.match-ping", null, "ping"),
            " and ",
            make("span.warn", null, "jitter"),
            " in ms",
          ),
          plot("match-rerun", "ticks that ran again, per second"),
        ),
        block(
          "Simulated network",
          make("div", { id: "match-network" }, SLIDERS.map(slider)),
          make(
            "div.dim",
            { id: "match-no-network" },
            "Simulate a bad network with sliders: ",
            make("code", { id: "match-command" }),
          ),
        ),
        makeTable(links, { id: "match-links" }),
        make("div.note.dim", { id: "match-total" }),
        block("Desyncs", make("div", { id: "match-desyncs" })),
        block("Shared reloads", make("div", { id: "match-reloads" })),
      ),
    ),
  );
}
export function shown() {
  end ??= follow({ what: "match", hz: 5 }, update);
  if (match?.is_active) drawPlots();
}
export function hidden() {
  end?.();
  end = null;
}
