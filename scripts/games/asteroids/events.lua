-- What systems tell each other.
local t = shoal.types

return {
  -- The curtain: the stage system clears up and sets the scene.
  go = { to = t.enum { "title", "demo", "playing", "over" } },
  -- Something blew up. power 0 … 1 decides about sound, sparks and shake; r, g, b is what it was made of.
  explosion = { x = 0, y = 0, vx = 0, vy = 0, power = 0.5, r = 1, g = 1, b = 1 },
  scored = { points = t.i32(0), x = 0, y = 0 },
}
