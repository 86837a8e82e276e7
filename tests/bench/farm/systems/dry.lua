local crops = require "lib.crops"
return {
  after = "calendar", query = { "soil" },
  each = function(e, dt)
    local calendar = world.single.calendar
    local soil = e.soil
    if calendar.raining then
      soil.moisture = 1
    else
      soil.moisture = math.max(0, soil.moisture - crops.evaporation[calendar.season])
    end
  end,
}
