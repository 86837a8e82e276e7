-- Boats controlled by a player, an AI or a network. These three feeders write the component `intent`; systems/steer.lua
-- reads the intent, whichever feeder has written it. The state of a boat (assemblages.lua) selects its feeder. Press
-- Space to switch each boat to its next feeder (systems/pass.lua).
local FEEDERS = { "player", "machine", "network" }
local COLOURS = { { 1, 0.8, 0.3, 1 }, { 0.4, 0.8, 1, 1 }, { 1, 0.45, 0.4, 1 } }

return {
  title = "Feeders: boats",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for i = 1, 3 do
      local boat = world.spawn("boat", { transform = { x = 240 + 200 * i, y = 560, angle = -1.5708 },
        shape = { colour = COLOURS[i] } })
      boat:enter(FEEDERS[i])
    end
    world.single.race.buoy = world.spawn("buoy")
  end,
}
