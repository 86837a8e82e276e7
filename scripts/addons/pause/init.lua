-- Opens the pause menu.
local M = {}

function M.is_open() return world.find("pause") ~= nil end

-- Pauses the game and opens the menu. `assemblage`: the game's own menu; if nil, opens the add-on's menu.
function M.open(assemblage)
  world.spawn(assemblage or "menu", { name = "pause" })
  world.pause(true)
end

-- Call this from the `update` of a system in phase "input": such systems also run while the game is paused. Opens the
-- menu if `may_open` and the action is pressed, except in a match, which the host pauses. Returns true if the menu is
-- open.
function M.step(may_open, assemblage)
  if M.is_open() then return true end
  if may_open and input.pressed("pause", nil) and not players.in_match() then
    M.open(assemblage)
    return true
  end
  return false
end

return M
