-- Events exchanged between systems.
local t = shoal.types

return {
  -- Requests another screen, which systems/stage.lua sets up.
  go = { to = t.enum { "title", "demo", "playing", "over" } },
  -- An explosion. power (0 … 1) controls sound, sparks and shake; r, g, b is the colour of the sparks.
  explosion = { x = 0, y = 0, vx = 0, vy = 0, power = 0.5, r = 1, g = 1, b = 1 },
  -- Emitted by the buttons of the menus.
  play = {}, more_players = {}, resume = {}, leave = {},
  scored = { points = t.i32(0), x = 0, y = 0 },
}
