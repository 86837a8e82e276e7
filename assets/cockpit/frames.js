// Frame profiler: a flame graph per frame, a list of slow frames, and export for chrome://tracing.
import { ask, follow } from "./wire.js";
import { $, make, refill, tabled } from "./kit.js";
import { openFile } from "./files.js";

const MAX = 300,
  MAX_SPIKES = 24;
let frames = [],
  spikes = [],
  systems = [],
  chosen = null,
  runs = true,
  end;

const took = (frame) => frame[2];

function hue(name) {
  let hash = 7;
  for (const c of name) hash = (hash * 31 + c.charCodeAt(0)) % 997;
  return (hash * 360) / 997;
}
const busy = (frame) => frame[3].reduce((sum, x) => sum + x[2], 0);

function pen(canvas) {
  const ratio = devicePixelRatio || 1;
  if (!canvas?.clientWidth) return null;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const p = canvas.getContext("2d");
  p.scale(ratio, ratio);
  p.font = "11px system-ui, sans-serif";
  return p;
}
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

// Draws each frame's work as a bar, without waiting time.
function drawStrip() {
  const canvas = $("frame-strip"),
    p = pen(canvas);
  if (!p) return;
  const high = Math.max(1000, ...frames.map(busy)),
    width = canvas.clientWidth / MAX,
    height = canvas.clientHeight;
  frames.forEach((frame, i) => {
    const tall = Math.max(1, (busy(frame) / high) * (height - 12));
    p.fillStyle = frame === chosen ? colour("--accent") : spikes.includes(frame) ? colour("--bad") : colour("--dim");
    p.globalAlpha = frame === chosen ? 1 : 0.65;
    p.fillRect(i * width, height - tall, Math.max(1, width - 0.6), tall);
  });
  p.globalAlpha = 1;
  p.fillStyle = colour("--dim");
  p.fillText(`${(high / 1000).toFixed(2)} ms`, 3, 11);
}

let boxes = [];
function drawFlame() {
  const canvas = $("frame-flame"),
    p = pen(canvas);
  boxes = [];
  if (!p || !chosen) return;
  const list = chosen[3],
    first = list.length ? Math.min(...list.map((x) => x[1])) : 0,
    last = Math.max(first + 1, ...list.map((x) => x[1] + x[2]));
  const x = (us) => ((us - first) / (last - first)) * canvas.clientWidth,
    ROW = 22;
  const box = (row, from, to, name, kind, run) => {
    const left = x(from),
      width = Math.max(1, x(to) - left);
    p.fillStyle = `hsl(${hue(kind)} 62% ${document.documentElement.dataset.theme === "dark" ? 42 : 74}%)`;
    p.fillRect(left, row * ROW, Math.max(1, width - 0.7), ROW - 2);
    p.fillStyle = colour("--text");
    if (width > 30) {
      p.save();
      p.beginPath();
      p.rect(left, row * ROW, width - 3, ROW);
      p.clip();
      p.fillText(name, left + 4, row * ROW + 14);
      p.restore();
    }
    boxes.push({ left, width, row, text: `${name}: ${(to - from).toFixed(0)} µs`, run });
  };
  box(0, first, last, `tick ${chosen[1]}: ${((last - first) / 1000).toFixed(2)} ms`, "frame");
  const phases = new Map();
  for (const run of list) {
    const phase = systems[run[0]]?.[1] ?? "?",
      was = phases.get(phase) ?? [Infinity, 0];
    phases.set(phase, [Math.min(was[0], run[1]), Math.max(was[1], run[1] + run[2])]);
  }
  for (const [phase, [from, to]] of phases) box(1, from, to, phase, phase);
  for (const run of list)
    box(2, run[1], run[1] + run[2], systems[run[0]]?.[0] ?? `system ${run[0]}`, systems[run[0]]?.[0] ?? "", run);
}

function drawChosen() {
  const sum = $("frame-sum");
  if (!chosen) {
    sum.textContent = "no frames yet";
    return;
  }
  const all = busy(chosen);
  sum.textContent = `tick ${chosen[1]}: systems ${(all / 1000).toFixed(2)} ms, frame ${(took(chosen) / 1000).toFixed(2)} ms`;
  refill(
    $("frame-rows"),
    ...[...chosen[3]]
      .sort((a, b) => b[2] - a[2])
      .slice(0, 60)
      .map((run) => {
        const system = systems[run[0]] ?? [],
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
  refill(
    $("frame-spikes"),
    ...spikes.map((frame) =>
      make(
        frame === chosen ? "button.chosen" : "button",
        { onclick: () => choose(frame), title: "recorded slow frame" },
        `tick ${frame[1]}  ${(busy(frame) / 1000).toFixed(2)} ms`,
      ),
    ),
  );
}
function choose(frame) {
  chosen = frame;
  runs = false;
  drawAll();
}
function drawAll() {
  $("frame-pause").textContent = runs ? "Stop here" : "Follow";
  drawStrip();
  drawSpikes();
  drawChosen();
}

function hear(found) {
  const usual = frames.map(busy).sort((a, b) => a - b)[frames.length >> 1] ?? 0;
  for (const frame of found) {
    if (frame[3].length === 0) continue; // no tick ran
    if (frames.length > 60 && busy(frame) > Math.max(500, usual * 2)) spikes.push(frame);
    if (runs) frames.push(frame);
  }
  spikes.sort((a, b) => busy(b) - busy(a));
  spikes.length = Math.min(spikes.length, MAX_SPIKES);
  frames = frames.slice(-MAX);
  if (!runs) return drawSpikes();
  chosen = frames.at(-1) ?? null;
  drawAll();
}

// Builds trace events for chrome://tracing, Perfetto and Speedscope.
export function trace() {
  const events = [];
  let at = 0;
  for (const frame of [...frames, ...spikes.filter((x) => !frames.includes(x))]) {
    events.push({ name: `tick ${frame[1]}`, ph: "X", ts: at, dur: took(frame), pid: 1, tid: 1, cat: "frame" });
    for (const [system, from, us] of frame[3])
      events.push({
        name: systems[system]?.[0] ?? String(system),
        cat: systems[system]?.[1] ?? "",
        ph: "X",
        ts: at + from,
        dur: us,
        pid: 1,
        tid: 1,
        args: { file: systems[system]?.[7], line: systems[system]?.[8] },
      });
    at += took(frame);
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
    title: "click a frame, or step through frames with ← →",
    tabIndex: 0,
    ariaLabel: "frames",
    onkeydown: (event) => {
      if (!by[event.key] || frames.length === 0) return;
      event.preventDefault();
      event.stopPropagation(); // keep the page from stepping the game
      choose(frames[Math.max(0, Math.min(frames.length - 1, frames.indexOf(chosen) + by[event.key]))]);
    },
    onclick: (event) => {
      const frame = frames[Math.floor((event.offsetX / strip.clientWidth) * MAX)];
      if (frame) choose(frame);
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
            runs = !runs;
            drawAll();
          },
        },
        "Stop here",
      ),
      make("button", { onclick: save, title: "for chrome://tracing, Perfetto, Speedscope" }, "Save as a trace"),
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
      tabled(
        head.map(([kind, word]) => make(kind ? "th.number" : "th", null, word)),
        { id: "frame-rows" },
      ),
    ),
  );
}
export async function shown() {
  try {
    systems = (await ask("systems")).rows;
  } catch {
    systems = [];
  }
  end ??= follow({ what: "frames", hz: 10 }, (found) => {
    if (found) hear(found);
  });
  drawAll();
}
export function hidden() {
  end?.();
  end = null;
}
