-- Boats with three feeders: a player, a machine and a network. All of them write the same component, `intent`, and
-- what steers a boat (systems/steer.lua) does not know who has written it. Who feeds a boat is the state that it is
-- in (assemblages.lua): the space bar passes the helms round (systems/pass.lua).
local FEEDERS = { "player", "machine", "network" }
local COLOURS = { { 1, 0.8, 0.3, 1 }, { 0.4, 0.8, 1, 1 }, { 1, 0.45, 0.4, 1 } }

return {
  title = "Feeders: boats",
  width = 1280,
  height = 720,
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
