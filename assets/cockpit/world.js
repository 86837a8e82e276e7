// State shared by all panels: the game's schema, its time state, and the selection.
import { ask, follow, events } from "./wire.js";

export const world = {
  schema: { components: [], events: [], assemblages: [] },
  byName: new Map(),
  state: {},
  picked: 0,
  game: {},
  pins: [],
};
export const changes = new EventTarget();
const say = (name) => changes.dispatchEvent(new Event(name));

// The selection is shared with the game's window and sent with the game's state. Until the game has received a change
// made here, its state still has the previous selection.
let telling = 0;
export function pick(entity) {
  if (entity === world.picked) return;
  world.picked = entity;
  say("picked");
  ++telling;
  ask("pick", { entities: entity ? [entity] : [] })
    .catch(() => {})
    .finally(() => {
      --telling;
    });
}
function hearPicked(picked) {
  world.all = picked ?? [];
  const first = world.all[0] ?? 0;
  if (telling > 0 || first === world.picked) return;
  world.picked = first;
  say("picked");
}

// Pinned entities.
export function togglePin(entity, called) {
  const known = world.pins.some((x) => x.entity === entity);
  world.pins = known ? world.pins.filter((x) => x.entity !== entity) : [...world.pins, { entity, called }];
  say("pins");
}

async function learn() {
  world.game = await ask("hello");
  world.schema = await ask("schema");
  await ask("files").catch(() => {}); // from now on the game serves its images
  world.byName = new Map(world.schema.components.map((x) => [x.name, x]));
  document.title = `${world.game.title || "Shoal"} · Cockpit`;
  say("learned");
}

events.addEventListener("open", () => learn().catch(() => {}));
events.addEventListener("close", () => {
  world.state = { gone: true };
  say("state");
});
follow({ what: "state", hz: 20 }, (state) => {
  if (state) {
    world.state = state;
    say("state");
    hearPicked(state.picked);
  }
});
// A reload may change the components.
follow({ what: "log", hz: 4 }, (lines) => {
  if (lines?.some((line) => /^restarted/.test(line[3]))) {
    world.pins = [];
    say("pins");
    say("restarted");
  }
  if (lines?.some((line) => /^(reloaded|restarted)/.test(line[3]))) learn().catch(() => {});
});

export const quote = (text) => `'${text.replaceAll("'", "''")}'`;
export const name = (text) => `"${text.replaceAll('"', '""')}"`;
export function field(component, wanted) {
  return world.byName.get(component)?.fields.find((x) => x.name === wanted || x.column === wanted);
}
