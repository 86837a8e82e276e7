-- What things are made of. Distances are pixels, times seconds, health counts half hearts.
local t = shoal.types

return {
  -- What somebody wants. A player's keys, a foe's wits, the pilot of the demo, or a scene write it; what walks and
  -- strikes reads it, and does not know who has written it.
  intent = { x = 0, y = 0, strike = false, cast = false },
  player = {},
  pilot = { stuck = 0, wait = 0, doc = "plays the demo: until it looks for a way again, and strikes again" },
  puppet = { doc = "is led by a scene, or by packets" },

  -- moving and fighting
  walk = { speed = 60, x = 0, y = 1, doc = "x, y: where it looks" },
  flight = { x = 0, y = 0, doc = "moves by so much a second, and stops for nothing" },
  knock = { x = 0, y = 0, doc = "speed from a blow, on top of its own; dies away" },
  health = { hp = t.i32(1), max = t.i32(1), grace = 0, doc = "grace: until it can be hurt again" },
  frozen = { left = 0.06, doc = "the moment of a blow: it neither moves nor plays its clip" },
  striking = { left = 0.24 }, caster = { wait = 0 },
  harm = { points = t.i32(1), push = 150, doc = "what touching it does" },
  spent = { doc = "goes out at the first thing that it touches" },
  ghost = { left = 6, doc = "contacts with foes are deleted before anybody answers to them" },

  -- foes
  foe = { drops = 0.35, doc = "drops: how likely it leaves a heart" },
  slime = { wait = 1, x = 0, y = 0 },
  bat = { phase = 0, wakes = 70 },
  skeleton = { seen = 0, sight = 92, doc = "seen: for how long it has been after whom it saw" },
  snuffer = { wait = 1, x = 0, y = 1, shots = t.i32(0), doc = "the clock of its state; where it rushes to" },

  -- things
  room = {},
  exit = { to = "", doc = "the name of an arrival, in this room or another one" },
  arrival = {},
  chest = { holds = t.enum { "fireball", "key" } },
  brazier = { lit = false },
  barrier = { doc = "a gate or a door that opens for good" },
  pot = {}, heart = {}, cloak = {}, keeper = {},
  light = { radius = 40, flicker = 1, doc = "what the dark leaves free" },
  fades = { life = 0.4, doc = "a speck that shrinks while its lifetime runs out" },

  -- one of each
  play = t.single {
    phase = t.enum { "none", "title", "demo", "playing", "paused", "dead", "won" },
    was = t.enum { "playing", "demo" }, clock = 0, time = 0, finished = t.i32(0), hero = t.entity, room = t.entity,
    danger = 0,
  },
  quest = t.single { fireball = false, key = false },
  menu = t.single { slot = t.i32(1), saves = t.i32(-1000, { doc = "at which tick it saves" }) },
  travel = t.single { to = "", stage = t.enum { "none", "leaving", "waiting", "arriving" }, dark = 0, at = t.i32(0) },
}
