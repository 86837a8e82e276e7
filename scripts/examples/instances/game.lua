-- Fountains with several nozzles. `nozzle` is declared with t.many: an entity has up to 1,024 nozzles, each with a
-- name. A query has one row per nozzle (systems/spray.lua), and e.nozzle.left accesses a nozzle by name
-- (systems/conduct.lua).
return {
  title = "Instances: fountains",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for i = 1, 5 do
      local fountain = world.spawn("fountain",
        { transform = { x = 213 * (i - 0.5) + 107, y = 640 }, fountain = { number = i } })
      if i % 2 == 1 then fountain:add("nozzle", { angle = -1.5708, power = 560, r = 1, g = 0.9, b = 0.7 }, "middle") end
    end
  end,
}
