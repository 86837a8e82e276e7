-- Distances are in pixels, times in seconds.
local t = shoal.types

return {
  -- A hero's intent, set from the player's input or by the demo's pilot.
  intent = { x = 0, y = 0, use = false, back = false },
  hero = { player = t.i32(0), bag = t.entity, wait = 0, leaving = false,
    doc = "wait: time until it can dig again; leaving: it waits for the room behind the door" },
  walk = { speed = 72, x = 0, y = 1, doc = "x, y: facing direction" },
  pilot = { wait = 0, doc = "plays the demo; wait: time until the next path search" },
  -- A hero's part of a deal. The deal is open while both heroes name each other.
  deal = { with = t.entity, left = 12, row = t.i32(1), step_x = t.i32(0), step_y = t.i32(0), agreed = false,
    ore = t.i32(0), gold = t.i32(0), coins = t.i32(0), doc = "left: time until an unanswered request ends" },
  memory = { question = t.entity, text = "", doc = "text: what the elder remembers about the hero" },

  -- entities that a player owns
  bag = { ore = t.i32(0), gold = t.i32(0), coins = t.i32(0) },
  pick = { level = t.i32(1) },

  -- rooms and the objects in them
  room = {}, arrival = {},
  door = { to = "" },
  folk = { name = t.enum { "elder", "smith" } },
  vein = { good = t.enum { "ore", "gold" }, left = t.i32(4), full = t.i32(4), rest = 0,
    doc = "left: pieces until it is empty; rest: time until it has grown again" },
  speech = { text = "", left = 0 }, popup = {},

  play = t.single { phase = t.enum { "none", "title", "demo", "playing" }, clock = 0, since = t.i32(0),
    place = t.enum { "town", "mine" }, sold = t.i32(0), doc = "since: tick at which the place was opened" },
}
