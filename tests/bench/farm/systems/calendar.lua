local crops = require "lib.crops"
return {
  update = function(dt) -- a tick is an hour
    local calendar = world.single.calendar
    calendar.hour = calendar.hour + 1
    if calendar.hour >= 24 then
      calendar.hour = 0
      calendar.day = calendar.day + 1
      calendar.season = crops.seasons[math.floor(calendar.day / 28) % 4 + 1]
      world.emit("day_began", { day = calendar.day })
    end
    calendar.raining = calendar.day % 5 == 0 and calendar.hour > 5 and calendar.hour < 9
    world.emit("hour_passed", { hour = calendar.hour })
  end,
}
