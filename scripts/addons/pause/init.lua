-- Opens the pause menu.
local M = {}

function M.is_open() return world.find("pause") ~= nil end

-- Pauses the game and opens the menu. `assemblage`: the game's own menu; nil: that of the add-on.
function M.open(assemblage)
  world.spawn(assemblage or "menu", { name = "pause" })
  world.pause(true)
end

-- Call this in every run of a system in phase "input", which also runs while the game is paused. Opens the menu if
-- `may_open` and the action is pressed. Returns whether the menu is open.
function M.step(may_open, assemblage)
  if M.is_open() then return true end
  if may_open and input.pressed("pause") then
    M.open(assemblage)
    return true
  end
  return false
end

return M
