// Time panel: bookmarks, timelines, ghosts of the selection, and comparison of two ticks.
import { request } from "./wire.js";
import { world, changes, pick } from "./world.js";
import { $, count, make, updateChildren, format, showError, makeTable, notify } from "./kit.js";

const KEY = `marks ${location.pathname}`,
  GHOST_TICKS = 180;
let bookmarks = JSON.parse(sessionStorage.getItem(KEY) ?? "[]"),
  timelines = {};

export const seek = (tick) => request("time", { action: "seek", tick }).catch(showError);

function saveBookmarks() {
  bookmarks.sort((a, b) => a[0] - b[0]);
  sessionStorage.setItem(KEY, JSON.stringify(bookmarks));
  $("marks").replaceChildren(...bookmarks.map(([tick]) => make("option", { value: tick })));
  draw();
}
export function bookmark() {
  const tick = world.state.tick;
  if (tick === undefined) return;
  if (bookmarks.some((x) => x[0] === tick)) bookmarks = bookmarks.filter((x) => x[0] !== tick);
  else bookmarks.push([tick, ""]);
  saveBookmarks();
  notify(bookmarks.some((x) => x[0] === tick) ? `Bookmarked tick ${tick}` : "Bookmark removed");
}
export function goToBookmark(by) {
  const now = world.state.tick,
    found = by < 0 ? bookmarks.filter((x) => x[0] < now).at(-1) : bookmarks.find((x) => x[0] > now);
  if (found) seek(found[0]);
  else notify("No more bookmarks");
}

// Shows or hides ghosts of the selection, in the window and on the map.
export async function showGhosts() {
  try {
    const answer = await request(
      "ghosts",
      world.state.ghosts?.length ? { ticks: 0 } : { entities: "picked", ticks: GHOST_TICKS },
    );
    notifyGhosts(answer.count);
  } catch (error) {
    showError(error);
  }
}
export function notifyGhosts(entities) {
  const seconds = GHOST_TICKS / (world.game.tick_rate || 60);
  notify(
    entities
      ? `Predicted movement of ${count(entities, "entity", "entities")} for the next ${seconds} seconds`
      : "Ghosts hidden",
  );
}

// --- timelines

function timelineBar(label, first, last, from, to, isCurrent) {
  const place = (tick) => `${Math.max(0, Math.min(100, ((tick - from) / Math.max(1, to - from)) * 100))}%`;
  const span = make("div.span"),
    track = make(
      "div.track",
      {
        title: isCurrent ? "click to seek" : "abandoned timeline: the ticks that your last change of the past replaced",
        onclick: (event) => {
          if (!isCurrent) return;
          const box = track.getBoundingClientRect(),
            tick = Math.round(from + ((event.clientX - box.left) / box.width) * (to - from));
          seek(Math.max(first, Math.min(last, tick)));
        },
      },
      span,
    );
  span.style.left = place(first);
  span.style.right = `calc(100% - ${place(last)})`;
  const addMarker = (kind, tick, title) => {
    const x = make(`div.${kind}`, { title });
    x.style.left = place(tick);
    track.append(x);
  };
  if (isCurrent) {
    for (const [tick, note] of bookmarks) addMarker("flag", tick, note || `tick ${tick}`);
    addMarker("now", world.state.tick, "now");
  }
  return make(
    "div.timeline",
    null,
    make("span.dim", null, label),
    track,
    make("span.mono.dim", null, `${first} … ${last}`),
  );
}

function draw() {
  const box = $("timelines");
  if (!box?.isConnected || !world.state.has_past) {
    box?.replaceChildren(
      make("div.dim", null, "The history is disabled: set history in game.lua, or pass --history MB"),
    );
    return;
  }
  const s = world.state,
    from = Math.min(s.first, timelines.left_first || s.first),
    to = Math.max(s.last, timelines.left_last || s.last);
  const bars = [timelineBar("current", s.first, s.last, from, to, true)];
  const { left_first: first, left_last: last } = timelines;
  if (last) bars.push(timelineBar("abandoned", first, last, from, to, false));
  updateChildren(box, ...bars);
  const known = JSON.stringify(bookmarks);
  if ($("mark-list").known !== known)
    updateChildren(
      $("mark-list"),
      ...bookmarks.map((mark) =>
        make(
          "div.mark",
          null,
          make("a.link.mono", { onclick: () => seek(mark[0]) }, String(mark[0])),
          make("input", {
            value: mark[1],
            placeholder: "note",
            ariaLabel: `note for tick ${mark[0]}`,
            onchange: (event) => {
              mark[1] = event.target.value;
              saveBookmarks();
            },
          }),
          make(
            "button.plain",
            { title: "compare with the current tick", onclick: () => compare({ a: mark[0] }) },
            "≠ now",
          ),
          make(
            "button.plain",
            {
              title: "remove",
              onclick: () => {
                bookmarks = bookmarks.filter((x) => x !== mark);
                saveBookmarks();
              },
            },
            "×",
          ),
        ),
      ),
    );
  $("mark-list").known = known; // unchanged bookmarks are not redrawn, so that the user can edit a note
  $("ghost-toggle").textContent = s.ghosts?.length ? "Hide ghosts" : "Show ghosts of the selection";
}

async function loadTimelines() {
  try {
    timelines = await request("timelines");
  } catch {
    timelines = {};
  }
  draw();
}

// --- comparison of two ticks

function parseTick(id) {
  const text = $(id).value.trim();
  if (text === "" || text === "now") return undefined;
  const abandoned = text.match(/^(?:abandoned|left)\s+(\d+)$/);
  if (abandoned) return { left: Number(abandoned[1]) };
  if (!/^\d+$/.test(text))
    throw new Error(
      `a tick must be a number, “now”, or “abandoned 812” for tick 812 of the abandoned timeline, got “${text}”`,
    );
  return Number(text);
}
const tickLabel = (m) => (m === undefined ? "now" : m.left !== undefined ? `abandoned ${m.left}` : String(m));

const noComparison = () =>
  make(
    "div.empty",
    null,
    make("p", null, "The fields that differ between two ticks appear here."),
    make(
      "p",
      null,
      "To see what a tick did, press “Show the changes in this tick”. ",
      "To compare two moments, bookmark one (B), let the game run, and select the bookmark.",
    ),
    make(
      "p",
      null,
      "Rewind (←), change a value and play on (Space): ",
      "the abandoned timeline is what would have happened without the change.",
    ),
  );

export async function compare({ a, b } = {}) {
  document.dispatchEvent(new CustomEvent("tab", { detail: "Time" }));
  $("compare-a").value = tickLabel(a);
  $("compare-b").value = tickLabel(b);
  const out = $("compare-out");
  try {
    const { rows, total } = await request("compare", { a, b });
    const where = ([kind, , , component, instance, field]) =>
      kind === "entity"
        ? "the entity"
        : [component + (instance ? `[${instance}]` : ""), field].filter(Boolean).join(".");
    out.replaceChildren(
      make(
        "div.dim.note",
        null,
        total === 0
          ? "No differences"
          : count(total, "difference") + (total > rows.length ? `; the first ${rows.length} are shown` : ""),
      ),
      rows.length === 0
        ? ""
        : makeTable(
            ["entity", "field", tickLabel(a), tickLabel(b), ""].map((x) => make("th", null, x)),
            null,
            rows.map((row) => {
              const by = typeof row[6] === "number" && typeof row[7] === "number" ? row[7] - row[6] : null;
              return make(
                "tr",
                null,
                make("td", null, row[1] ? make("a", { onclick: () => pick(row[1]) }, row[2]) : row[0]),
                make("td", null, where(row)),
                make("td.was.mono", null, format(row[6])),
                make("td.is.mono", null, format(row[7])),
                make("td.mono.dim", null, by === null ? "" : `${by > 0 ? "+" : ""}${format(by)}`),
              );
            }),
          ),
    );
    applyFilter();
  } catch (error) {
    out.replaceChildren(make("div.error", null, error.message));
  }
}
function applyFilter() {
  const terms = $("compare-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of $("compare-out").querySelectorAll("tbody tr"))
    row.hidden = !terms.every((term) => row.textContent.toLowerCase().includes(term));
}
const compareInputs = () => {
  try {
    compare({ a: parseTick("compare-a"), b: parseTick("compare-b") });
  } catch (error) {
    showError(error);
  }
};
const showTickChanges = () => compare({ a: Math.max(0, world.state.tick - 1) });
const compareTimelines = () =>
  timelines.left_last
    ? compare({ a: { left: Math.min(world.state.tick, timelines.left_last) } })
    : notify("There is no abandoned timeline: go back in time and change something");

export function panel() {
  const enter = (event) => {
    if (event.key === "Enter") compareInputs();
  };
  const input = (id, value) =>
    make("input.mono", {
      id,
      value,
      size: 11,
      onkeydown: enter,
      ariaLabel: id.replace("-", " "),
      title: "a tick, “now”, or “abandoned 812” for tick 812 of the abandoned timeline",
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
          "div.actions",
          null,
          make("button", { onclick: bookmark, title: "B" }, "Bookmark this tick"),
          make("button", { id: "ghost-toggle", onclick: showGhosts, title: "G" }, "Show ghosts of the selection"),
          make("button", { onclick: showTickChanges }, "Show the changes in this tick"),
          make("button", { onclick: compareTimelines }, "Compare with the abandoned timeline"),
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
        make("button", { onclick: compareInputs }, "Compare"),
        make("input.wide", {
          id: "compare-filter",
          type: "search",
          placeholder: "filter",
          ariaLabel: "filter the differences",
          oninput: applyFilter,
        }),
      ),
      make("div", { id: "compare-out" }, noComparison()),
    ),
  );
}
let timer;
export function shown() {
  loadTimelines();
  timer ??= setInterval(loadTimelines, 1000);
}
export function hidden() {
  clearInterval(timer);
  timer = undefined;
}
export function init() {
  document.body.append(make("datalist", { id: "marks" }));
  $("scrub").setAttribute("list", "marks");
  changes.addEventListener("state", () => {
    if (timer) draw();
  });
  saveBookmarks();
}
