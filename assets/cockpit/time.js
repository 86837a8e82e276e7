// Time: bookmarks, timelines, ghosts of the selection, and comparison of two ticks.
import { ask } from "./wire.js";
import { world, changes, pick } from "./world.js";
import { $, make, refill, show, complain, tabled, tell } from "./kit.js";

const KEY = `marks ${location.pathname}`,
  GHOST_TICKS = 180;
let marks = JSON.parse(sessionStorage.getItem(KEY) ?? "[]"),
  lines = {};

export const seek = (tick) => ask("time", { action: "seek", tick }).catch(complain);

function keep() {
  marks.sort((a, b) => a[0] - b[0]);
  sessionStorage.setItem(KEY, JSON.stringify(marks));
  $("marks").replaceChildren(...marks.map(([tick]) => make("option", { value: tick })));
  draw();
}
export function bookmark() {
  const tick = world.state.tick;
  if (tick === undefined) return;
  if (marks.some((x) => x[0] === tick)) marks = marks.filter((x) => x[0] !== tick);
  else marks.push([tick, ""]);
  keep();
  tell(marks.some((x) => x[0] === tick) ? `Bookmark at tick ${tick}` : "Bookmark removed");
}
export function toMark(by) {
  const now = world.state.tick,
    found = by < 0 ? marks.filter((x) => x[0] < now).at(-1) : marks.find((x) => x[0] > now);
  if (found) seek(found[0]);
  else tell("No other bookmark");
}

// Same as the command: shows ghosts of the selection in the window and on the map.
export async function showGhosts() {
  try {
    const { count } = await ask(
      "ghosts",
      world.state.ghosts?.length ? { ticks: 0 } : { entities: "picked", ticks: GHOST_TICKS },
    );
    tellGhosts(count);
  } catch (error) {
    complain(error);
  }
}
export function tellGhosts(count) {
  const seconds = GHOST_TICKS / (world.game.tick_rate || 60);
  tell(
    count
      ? `The window and the map show where ${count > 1 ? `these ${count} entities go` : "it goes"} in the next ${seconds} seconds`
      : "Ghosts hidden",
  );
}

// --- the timelines

function bar(word, first, last, from, to, here) {
  const place = (tick) => `${Math.max(0, Math.min(100, ((tick - from) / Math.max(1, to - from)) * 100))}%`;
  const span = make("div.span"),
    track = make(
      "div.track",
      {
        title: here ? "click to go there" : "the timeline before the change",
        onclick: (event) => {
          if (!here) return;
          const box = track.getBoundingClientRect(),
            tick = Math.round(from + ((event.clientX - box.left) / box.width) * (to - from));
          seek(Math.max(first, Math.min(last, tick)));
        },
      },
      span,
    );
  span.style.left = place(first);
  span.style.right = `calc(100% - ${place(last)})`;
  const put = (kind, tick, title) => {
    const x = make(`div.${kind}`, { title });
    x.style.left = place(tick);
    track.append(x);
  };
  if (here) {
    for (const [tick, note] of marks) put("flag", tick, note || `tick ${tick}`);
    put("now", world.state.tick, "now");
  }
  return make(
    "div.timeline",
    null,
    make("span.dim", null, word),
    track,
    make("span.mono.dim", null, `${first} … ${last}`),
  );
}

function draw() {
  const box = $("timelines");
  if (!box?.isConnected || !world.state.has_past) {
    box?.replaceChildren(make("div.dim", null, "No past is kept: --history MB, or history in game.lua"));
    return;
  }
  const s = world.state,
    from = Math.min(s.first, lines.left_first || s.first),
    to = Math.max(s.last, lines.left_last || s.last);
  const bars = [bar("this one", s.first, s.last, from, to, true)];
  if (lines.left_last) bars.push(bar("left", lines.left_first, lines.left_last, from, to, false));
  refill(box, ...bars);
  const known = JSON.stringify(marks);
  if ($("mark-list").known !== known)
    refill(
      $("mark-list"),
      ...marks.map((mark) =>
        make(
          "div.mark",
          null,
          make("a.link.mono", { onclick: () => seek(mark[0]) }, String(mark[0])),
          make("input", {
            value: mark[1],
            placeholder: "note",
            ariaLabel: `note of tick ${mark[0]}`,
            onchange: (event) => {
              mark[1] = event.target.value;
              keep();
            },
          }),
          make("button.plain", { title: "compare with now", onclick: () => compare({ a: mark[0] }) }, "≠ now"),
          make(
            "button.plain",
            {
              title: "remove",
              onclick: () => {
                marks = marks.filter((x) => x !== mark);
                keep();
              },
            },
            "×",
          ),
        ),
      ),
    );
  $("mark-list").known = known; // a note being edited survives updates
  $("ghost-toggle").textContent = s.ghosts?.length ? "Hide ghosts" : "Show ghosts of selection";
}

async function learn() {
  // known to the host
  try {
    lines = await ask("timelines");
  } catch {
    lines = {};
  }
  draw();
}

// --- two ticks compared

function moment(id) {
  const text = $(id).value.trim();
  if (text === "" || text === "now") return undefined;
  const left = text.match(/^left\s+(\d+)$/);
  if (left) return { left: Number(left[1]) };
  if (!/^\d+$/.test(text)) throw new Error("a tick must be a number, “now”, or “left 812” for the previous timeline");
  return Number(text);
}
const words = (m) => (m === undefined ? "now" : m.left !== undefined ? `left ${m.left}` : String(m));

export async function compare({ a, b } = {}) {
  document.dispatchEvent(new CustomEvent("tab", { detail: "Time" }));
  $("compare-a").value = words(a);
  $("compare-b").value = words(b);
  const out = $("compare-out");
  try {
    const { rows, total } = await ask("compare", { a, b });
    const where = ([kind, , , component, instance, field]) =>
      kind === "entity"
        ? "the entity"
        : [component + (instance ? `[${instance}]` : ""), field].filter(Boolean).join(".");
    out.replaceChildren(
      make(
        "div.dim.note",
        null,
        total === 0
          ? "Nothing differs."
          : `${total} difference${total === 1 ? "" : "s"}${total > rows.length ? `, the first ${rows.length} of them` : ""}`,
      ),
      rows.length === 0
        ? ""
        : tabled(
            ["entity", "field", words(a), words(b), ""].map((x) => make("th", null, x)),
            null,
            rows.map((row) => {
              const by = typeof row[6] === "number" && typeof row[7] === "number" ? row[7] - row[6] : null;
              return make(
                "tr",
                null,
                make("td", null, row[1] ? make("a", { onclick: () => pick(row[1]) }, row[2]) : row[0]),
                make("td", null, where(row)),
                make("td.was.mono", null, show(row[6])),
                make("td.is.mono", null, show(row[7])),
                make("td.mono.dim", null, by === null ? "" : `${by > 0 ? "+" : ""}${show(by)}`),
              );
            }),
          ),
    );
    sift();
  } catch (error) {
    out.replaceChildren(make("div.error", null, error.message));
  }
}
function sift() {
  const words = $("compare-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of $("compare-out").querySelectorAll("tbody tr"))
    row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
}
const typed = () => {
  try {
    compare({ a: moment("compare-a"), b: moment("compare-b") });
  } catch (error) {
    complain(error);
  }
};
const before = () => compare({ a: Math.max(0, world.state.tick - 1) });
const other = () =>
  lines.left_last
    ? compare({ a: { left: Math.min(world.state.tick, lines.left_last) } })
    : tell("No previous timeline: go back in time and change something first");

export function panel() {
  const enter = (event) => {
    if (event.key === "Enter") typed();
  };
  const input = (id, value) =>
    make("input.mono", {
      id,
      value,
      size: 11,
      onkeydown: enter,
      ariaLabel: id.replace("-", " "),
      title: "a tick, “now”, or “left 812”",
    });
  return make(
    "div.panel",
    null,
    make(
      "div.scroll",
      null,
      make(
        "div.block",
        null,
        make("div", { id: "timelines" }),
        make(
          "div.deeds",
          null,
          make("button", { onclick: bookmark, title: "B" }, "Bookmark this tick"),
          make("button", { id: "ghost-toggle", onclick: showGhosts, title: "G" }, "Show ghosts of selection"),
          make("button", { onclick: before }, "What did this tick change?"),
          make("button", { onclick: other }, "Compare with the previous timeline"),
        ),
        make("div", { id: "mark-list" }),
      ),
      make(
        "div.bar",
        null,
        "Compare",
        input("compare-a", ""),
        "with",
        input("compare-b", "now"),
        make("button", { onclick: typed }, "Compare"),
        make("input.wide", {
          id: "compare-filter",
          type: "search",
          placeholder: "filter",
          ariaLabel: "filter the differences",
          oninput: sift,
        }),
      ),
      make("div", { id: "compare-out" }),
    ),
  );
}
let looks;
export function shown() {
  learn();
  looks ??= setInterval(learn, 1000);
}
export function hidden() {
  clearInterval(looks);
  looks = undefined;
}
export function begin() {
  document.body.append(make("datalist", { id: "marks" }));
  $("scrub").setAttribute("list", "marks");
  changes.addEventListener("state", () => {
    if (looks) draw();
  });
  keep();
}
