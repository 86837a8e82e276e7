-- Events exchanged between systems.
local t = shoal.types

return {
  -- Requests another screen, which systems/stage.lua sets up.
  go = { to = t.enum { "title", "demo", "playing", "dead", "won" } },
  travel = { to = "" },
  -- A hit on an entity. x, y: direction away from the attacker; push: speed of the knockback.
  struck = { entity = t.entity, points = t.i32(1), push = 150, x = 0, y = 0 },
  died = { entity = t.entity, kind = "", x = 0, y = 0 },
  stung = { entity = t.entity, doc = "a fireball hit the Snuffer" },
  used = { entity = t.entity, doc = "the hero used a chest, a door or the keeper" },
  kindled = { brazier = t.entity }, opens = { barrier = t.entity }, shuts = {},
  cloak_back = { cloak = t.entity },
  menu_begins = {}, menu_slots = {}, menu_slot = {}, menu_saves = {}, menu_loads = {}, menu_deletes = {},
  menu_back = {}, menu_options = {}, menu_quits = {},
  burst = { x = 0, y = 0, specks = t.i32(6), speed = 60, colour = "#f3ead2" },
  noise = { file = "", x = 0, volume = 0.6 },
  -- An intent for all puppets (systems/puppet.lua), emitted by a cutscene or by systems/recorded.lua.
  packet = { x = 0, y = 0, strike = false },
}
