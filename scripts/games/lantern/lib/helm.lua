-- Functions for sequences that control the hero.
local M = {}
local GRACE = 1.5 -- seconds of invulnerability after a sequence

-- Returns a step in which the hero walks in direction x, y for `seconds`.
function M.go(x, y, seconds)
  return { all = { {
    { call = function() world.emit("packet", { x = x, y = y }) end },
    { wait = seconds },
    { call = function() world.emit("packet", { x = 0, y = 0 }) end },
  } } }
end

-- Takes control of the hero from the player or the demo's pilot.
function M.take(e) e:enter("led") end

-- Returns control to the player, or to the demo's pilot, and makes the hero invulnerable for a moment: a foe may be
-- close to him by now.
function M.free(e)
  e:enter(world.single.play.phase == "demo" and "demonstrated" or "played")
  e.health.grace = math.max(e.health.grace, GRACE)
end

return M
