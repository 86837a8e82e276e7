-- Steps of scenes that lead the hero.
local M = {}

-- He walks that way for so many seconds.
function M.go(x, y, seconds)
  return { all = { {
    { call = function() world.emit("packet", { x = x, y = y }) end },
    { wait = seconds },
    { call = function() world.emit("packet", { x = 0, y = 0 }) end },
  } } }
end

-- Takes the helm from whoever has it.
function M.take(e) e:enter("led") end

-- And gives it back: to the player, or to the pilot of the demo.
function M.free(e) e:enter(world.single.play.phase == "demo" and "demonstrated" or "played") end

return M
