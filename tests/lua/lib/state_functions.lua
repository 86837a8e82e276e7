-- State functions for tests/lua/assemblages.lua. cases/state.lua expects the line numbers of the functions that fail.
local M = {}

function M.adrift() return { text = "adrift" } end
function M.throws() error("no shield today") end
function M.spawns() return { power = world.spawn("rock") and 1 } end
function M.destroys(e) e:destroy() end
function M.enters(e) e:enter("well") end
function M.nothing() end
function M.rubbish() return { power = "much" } end
function M.text() return "a text" end
function M.writes(e) e.label.text = "written" end
function M.crew() return { zoe = {}, {}, adam = {}, {} } end

return M
