-- Distances are in pixels, times in seconds, health in half hearts.
local t = shoal.types

return {
  -- The commands of a character, set by the player's input, the AI of a foe, the demo's pilot or a cutscene. Systems
  -- for movement and attacks read the intent and do not depend on its source.
  intent = { x = 0, y = 0, strike = false, cast = false },
  player = {},
  pilot = { stuck = 0, wait = 0, doc = "plays the demo; seconds to the next path search, the next strike" },
  puppet = { doc = "controlled by a cutscene or by packets" },

  -- movement and combat
  walk = { speed = 60, x = 0, y = 1, doc = "x, y: facing direction" },
  flight = { x = 0, y = 0, doc = "velocity of an entity that passes through obstacles" },
  knock = { x = 0, y = 0, doc = "knockback velocity, added to its own; decays" },
  health = { hp = t.i32(1), max = t.i32(1), grace = 0, doc = "grace: seconds of invulnerability left" },
  frozen = { left = 0.06, doc = "hit stop: it neither moves nor plays its clip" },
  striking = { left = 0.24 }, caster = { wait = 0 },
  harm = { points = t.i32(1), push = 150, doc = "damage and knockback on contact" },
  spent = { doc = "destroyed by the first thing it touches" },
  ghost = { left = 6, doc = "contacts with foes are cancelled before they deal damage" },

  -- foes
  foe = { drops = 0.35, doc = "drops: probability of leaving a heart" },
  slime = { wait = 1, x = 0, y = 0 },
  bat = { phase = 0, wakes = 70 },
  skeleton = { seen = 0, sight = 92, doc = "seen: seconds for which it continues to chase the hero" },
  snuffer = { wait = 1, x = 0, y = 1, shots = t.i32(0), doc = "wait: time left in its state; x, y: charge direction" },

  -- rooms and the objects in them
  room = {},
  exit = { to = "", doc = "name of an arrival, in this room or another one" },
  arrival = {},
  chest = { holds = t.enum { "fireball", "key" } },
  brazier = { lit = false },
  barrier = { doc = "a gate or a door that opens for good" },
  pot = {}, heart = {}, cloak = {}, keeper = {},
  light = { radius = 40, flicker = 1, doc = "radius that the darkness leaves visible" },
  fades = { life = 0.4, doc = "a speck that shrinks over its lifetime" },

  -- singletons
  play = t.single {
    phase = t.enum { "none", "title", "demo", "playing", "paused", "dead", "won" },
    was = t.enum { "playing", "demo" }, clock = 0, time = 0, finished = t.i32(0), hero = t.entity, room = t.entity,
    danger = 0, door_tick = t.i32(-1000, { doc = "tick at which the locked door's message was closed" }),
  },
  quest = t.single { fireball = false, key = false },
  menu = t.single { slot = t.i32(1), saves = t.i32(-1000, { doc = "tick at which the game is saved" }) },
  travel = t.single { to = "", stage = t.enum { "none", "leaving", "waiting", "arriving" }, dark = 0, at = t.i32(0) },
}
