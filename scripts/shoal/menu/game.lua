-- The start menu, which opens when no game is given on the command line. It is an ordinary game, except that it can
-- also use the global `menu` (load/menu_api.lua).
local sea = require "lib.sea"

return {
  title = "Shoal",
  id = "shoal_menu",
  width = 1280,
  height = 720,
  window = { scale = "expand" },
  start = function()
    world.spawn("eye")
    for _, page in ipairs { "shelf", "examples", "source", "together" } do
      world.spawn(page, { name = page .. "_page" })
    end
    world.spawn_many("fish", 90, sea.fill)
  end,
}
