// State shared by all panels: the game's schema, the current tick and playback state, the selection, and pinned
// entities.
import { format } from "./kit.js";
import { request, follow, events } from "./wire.js";

export const world = {
  schema: { components: [], events: [], assemblages: [] },
  byName: new Map(),
  state: {},
  picked: 0,
  game: {},
  pins: [],
};
export const changes = new EventTarget();
const emit = (name) => changes.dispatchEvent(new Event(name));

// The selection is shared with the game's window and is part of the game's state. While a selection by this page is
// pending, the state still contains the previous selection, which is ignored.
let pendingPicks = 0;
let suggested = 0; // entity that the page shows until the user selects one; the game does not know it
export function pick(entity) {
  if (entity === world.picked && !suggested) return;
  suggested = 0;
  world.picked = entity;
  emit("picked");
  ++pendingPicks;
  request("pick", { entities: entity ? [entity] : [] })
    .catch(() => {})
    .finally(() => {
      --pendingPicks;
    });
}
// Shows an entity as if it were selected, so that the page does not open without one.
export function suggest(entity) {
  if (world.picked && !suggested) return;
  suggested = world.picked = entity;
  emit("picked");
}
export const isSuggested = () => suggested !== 0;
function updateSelection(picked) {
  world.all = picked ?? [];
  if (world.all.length) suggested = 0;
  const first = world.all[0] ?? suggested;
  if (pendingPicks > 0 || first === world.picked) return;
  world.picked = first;
  emit("picked");
}

// Pins or unpins an entity in the list, where `label` is its text.
export function togglePin(entity, label) {
  const known = world.pins.some((x) => x.entity === entity);
  world.pins = known ? world.pins.filter((x) => x.entity !== entity) : [...world.pins, { entity, label }];
  emit("pins");
}

async function loadSchema() {
  world.game = await request("hello");
  world.schema = await request("schema");
  await request("files").catch(() => {}); // makes the game serve its assets
  world.byName = new Map(world.schema.components.map((x) => [x.name, x]));
  document.title = `${world.game.title || "Shoal"} · Cockpit`;
  emit("loaded");
}

events.addEventListener("open", () => loadSchema().catch(() => {}));
events.addEventListener("close", () => {
  world.state = { gone: true };
  emit("state");
});
follow({ what: "state", hz: 20 }, (state) => {
  if (state) {
    world.state = state;
    emit("state");
    updateSelection(state.picked);
  }
});
// A reload may have changed the schema.
follow({ what: "log", hz: 4 }, (lines) => {
  if (lines?.some((line) => /^restarted/.test(line[3]))) {
    world.pins = [];
    emit("pins");
    emit("restarted");
  }
  if (lines?.some((line) => /^(reloaded|restarted)/.test(line[3]))) loadSchema().catch(() => {});
});

export const quote = (text) => `'${text.replaceAll("'", "''")}'`;
export const name = (text) => `"${text.replaceAll('"', '""')}"`;
export function field(component, fieldName) {
  return world.byName.get(component)?.fields.find((x) => x.name === fieldName || x.column === fieldName);
}

// Returns a field's value as text: the names of a set of collision layers, as scripts write them, unless a bit has no
// name.
export function formatField(component, fieldName, value) {
  const names = field(component, fieldName)?.layers;
  if (!names || !Number.isInteger(value)) return format(value);
  if (value === 0xffffffff) return "all";
  const listed = names.filter((_, i) => Math.floor(value / 2 ** i) % 2 === 1);
  if (value >= 2 ** names.length || listed.length === 0) return value === 0 ? "none" : format(value);
  return listed.join(", ");
}
