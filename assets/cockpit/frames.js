// Frame profiler: a flame graph per frame, a list of slow frames, and export for chrome://tracing.
import { request, follow } from "./wire.js";
import { $, make, updateChildren, makeTable } from "./kit.js";
import { openFile } from "./files.js";

const MAX = 300,
  MAX_SPIKES = 24;
let frames = [],
  spikes = [],
  selected = null,
  recording = true,
  end;
const tables = new Map(); // rows of the request “systems”, by the number of the VM that runs these systems

const duration = (frame) => frame[2];

// Returns the row of a system in the table that was valid when the frame ran; an empty row if that table is unknown.
const systemOf = (frame, index) => tables.get(frame[4])?.[index] ?? [];

// Loads the table of the current systems, and removes the tables that no kept frame needs.
async function loadSystems() {
  try {
    const answer = await request("systems");
    const used = new Set([...frames, ...spikes].map((frame) => frame[4]));
    for (const vm of tables.keys()) if (!used.has(vm)) tables.delete(vm);
    tables.set(answer.vm, answer.rows);
  } catch {
    /* not connected */
  }
}

function hueOf(name) {
  let hash = 7;
  for (const c of name) hash = (hash * 31 + c.charCodeAt(0)) % 997;
  return (hash * 360) / 997;
}
const workTime = (frame) => frame[3].reduce((sum, x) => sum + x[2], 0);

function contextOf(canvas) {
  const ratio = devicePixelRatio || 1;
  if (!canvas?.clientWidth) return null;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.font = "11px system-ui, sans-serif";
  return ctx;
}
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

// Draws a bar for each frame, whose height is the time spent in systems, without idle time.
function drawStrip() {
  const canvas = $("frame-strip"),
    ctx = contextOf(canvas);
  if (!ctx) return;
  const high = Math.max(1000, ...frames.map(workTime)),
    width = canvas.clientWidth / MAX,
    height = canvas.clientHeight;
  frames.forEach((frame, i) => {
    const barHeight = Math.max(1, (workTime(frame) / high) * (height - 12));
    ctx.fillStyle =
      frame === selected ? colour("--accent") : spikes.includes(frame) ? colour("--bad") : colour("--dim");
    ctx.globalAlpha = frame === selected ? 1 : 0.65;
    ctx.fillRect(i * width, height - barHeight, Math.max(1, width - 0.6), barHeight);
  });
  ctx.globalAlpha = 1;
  ctx.fillStyle = colour("--dim");
  ctx.fillText(`${(high / 1000).toFixed(2)} ms`, 3, 11);
}

let boxes = [];
function drawFlame() {
  const canvas = $("frame-flame"),
    ctx = contextOf(canvas);
  boxes = [];
  if (!ctx || !selected) return;
  const list = selected[3],
    first = list.length ? Math.min(...list.map((x) => x[1])) : 0,
    last = Math.max(first + 1, ...list.map((x) => x[1] + x[2]));
  const x = (us) => ((us - first) / (last - first)) * canvas.clientWidth,
    ROW = 22;
  const box = (row, from, to, name, kind, run) => {
    const left = x(from),
      width = Math.max(1, x(to) - left);
    ctx.fillStyle = `hsl(${hueOf(kind)} 62% ${document.documentElement.dataset.theme === "dark" ? 42 : 74}%)`;
    ctx.fillRect(left, row * ROW, Math.max(1, width - 0.7), ROW - 2);
    ctx.fillStyle = colour("--text");
    if (width > 30) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, row * ROW, width - 3, ROW);
      ctx.clip();
      ctx.fillText(name, left + 4, row * ROW + 14);
      ctx.restore();
    }
    boxes.push({ left, width, row, text: `${name}: ${(to - from).toFixed(0)} µs`, run });
  };
  box(0, first, last, `tick ${selected[1]}: ${((last - first) / 1000).toFixed(2)} ms`, "frame");
  const phases = new Map();
  for (const run of list) {
    const phase = systemOf(selected, run[0])[1] ?? "?",
      known = phases.get(phase) ?? [Infinity, 0];
    phases.set(phase, [Math.min(known[0], run[1]), Math.max(known[1], run[1] + run[2])]);
  }
  for (const [phase, [from, to]] of phases) box(1, from, to, phase, phase);
  for (const run of list) {
    const name = systemOf(selected, run[0])[0];
    box(2, run[1], run[1] + run[2], name ?? `system ${run[0]}`, name ?? "", run);
  }
}

function drawSelected() {
  const sum = $("frame-sum");
  if (!selected) {
    sum.textContent = "no frames yet";
    return;
  }
  const all = workTime(selected);
  const ms = (us) => `${(us / 1000).toFixed(2)} ms`;
  sum.textContent = `tick ${selected[1]}: systems ${ms(all)}, frame ${ms(duration(selected))}`;
  updateChildren(
    $("frame-rows"),
    ...[...selected[3]]
      .sort((a, b) => b[2] - a[2])
      .slice(0, 60)
      .map((run) => {
        const system = systemOf(selected, run[0]),
          bar = make("span.share");
        bar.style.width = `${Math.max(1, (run[2] / Math.max(1, all)) * 90)}px`;
        return make(
          "tr",
          null,
          make("td", null, system[0] ?? ""),
          make("td.dim", null, system[1] ?? ""),
          make("td.number", null, String(run[2])),
          make("td", null, bar, ` ${((run[2] / Math.max(1, all)) * 100).toFixed(0)}%`),
          make("td.number", null, String(run[3])),
          make(
            "td.mono.dim",
            null,
            system[7]
              ? make(
                  "a",
                  { onclick: () => openFile(system[7], system[8]) },
                  `${system[7].replace(/^systems\//, "")}:${system[8]}`,
                )
              : "",
          ),
        );
      }),
  );
  drawFlame();
}
function drawSpikes() {
  updateChildren(
    $("frame-spikes"),
    ...spikes.map((frame) =>
      make(
        frame === selected ? "button.chosen" : "button",
        { onclick: () => select(frame), title: "slow frame, kept until cleared" },
        `tick ${frame[1]}  ${(workTime(frame) / 1000).toFixed(2)} ms`,
      ),
    ),
  );
}
function select(frame) {
  selected = frame;
  recording = false;
  drawAll();
}
function drawAll() {
  $("frame-pause").textContent = recording ? "Stop recording" : "Record";
  drawStrip();
  drawSpikes();
  drawSelected();
}

async function receive(found) {
  const median = frames.map(workTime).sort((a, b) => a - b)[frames.length >> 1] ?? 0;
  for (const frame of found) {
    if (frame[3].length === 0) continue; // no tick ran
    if (frames.length > 60 && workTime(frame) > Math.max(500, median * 2)) spikes.push(frame);
    if (recording) frames.push(frame);
  }
  spikes.sort((a, b) => workTime(b) - workTime(a));
  spikes.length = Math.min(spikes.length, MAX_SPIKES);
  frames = frames.slice(-MAX);
  if (recording) selected = frames.at(-1) ?? null;
  if (found.some((frame) => !tables.has(frame[4]))) await loadSystems(); // the game was reloaded
  recording ? drawAll() : drawSpikes();
}

// Builds trace events in the format of chrome://tracing, Perfetto and Speedscope.
export function trace() {
  const events = [];
  let at = 0;
  for (const frame of [...frames, ...spikes.filter((x) => !frames.includes(x))]) {
    events.push({ name: `tick ${frame[1]}`, ph: "X", ts: at, dur: duration(frame), pid: 1, tid: 1, cat: "frame" });
    for (const [system, from, us] of frame[3])
      events.push({
        name: systemOf(frame, system)[0] ?? String(system),
        cat: systemOf(frame, system)[1] ?? "",
        ph: "X",
        ts: at + from,
        dur: us,
        pid: 1,
        tid: 1,
        args: { file: systemOf(frame, system)[7], line: systemOf(frame, system)[8] },
      });
    at += duration(frame);
  }
  return { traceEvents: events, displayTimeUnit: "ms" };
}
export function save() {
  const link = make("a", {
    href: URL.createObjectURL(new Blob([JSON.stringify(trace())], { type: "application/json" })),
    download: "shoal-trace.json",
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function panel() {
  const by = { ArrowLeft: -1, ArrowRight: 1, Home: -MAX, End: MAX };
  const strip = make("canvas", {
    id: "frame-strip",
    title: "click a frame, or step through the frames with ← and →",
    tabIndex: 0,
    ariaLabel: "frames",
    onkeydown: (event) => {
      if (!by[event.key] || frames.length === 0) return;
      event.preventDefault();
      event.stopPropagation(); // otherwise the arrow key would also step the game
      select(frames[Math.max(0, Math.min(frames.length - 1, frames.indexOf(selected) + by[event.key]))]);
    },
    onclick: (event) => {
      const frame = frames[Math.floor((event.offsetX / strip.clientWidth) * MAX)];
      if (frame) select(frame);
    },
  });
  const flame = make("canvas", {
    id: "frame-flame",
    onmousemove: (event) => {
      flame.title =
        boxes.find(
          (b) =>
            b.row === Math.floor(event.offsetY / 22) && event.offsetX >= b.left && event.offsetX <= b.left + b.width,
        )?.text ?? "";
    },
  });
  const head = [
    ["", "system"],
    ["", "phase"],
    ["number", "µs"],
    ["", "share"],
    ["number", "runs"],
    ["", "file"],
  ];
  return make(
    "div.panel",
    null,
    make(
      "div.bar",
      null,
      make(
        "button",
        {
          id: "frame-pause",
          onclick: () => {
            recording = !recording;
            drawAll();
          },
        },
        "Stop recording",
      ),
      make(
        "button",
        { onclick: save, title: "save the frames as a trace for chrome://tracing, Perfetto or Speedscope" },
        "Save trace",
      ),
      make(
        "button",
        {
          onclick: () => {
            spikes = [];
            drawAll();
          },
        },
        "Clear slow frames",
      ),
      make("span.dim", { id: "frame-sum" }),
    ),
    strip,
    make("div", { id: "frame-spikes" }),
    flame,
    make(
      "div.scroll",
      null,
      makeTable(
        head.map(([kind, word]) => make(kind ? "th.number" : "th", null, word)),
        { id: "frame-rows" },
      ),
    ),
  );
}
export async function shown() {
  await loadSystems();
  end ??= follow({ what: "frames", hz: 10 }, (found) => {
    if (found) receive(found);
  });
  drawAll();
}
export function hidden() {
  end?.();
  end = null;
}
