local schedules = require "lib.schedules"
return {
  after = "clock",
  query = { "villager" },
  each = function(e)
    local v = e.villager
    local activity
    for _, entry in ipairs(schedules[v.job]) do
      if world.single.clock.hour >= entry[1] then activity = entry[2] end
    end
    if v.hunger > 80 then activity = "eat" end
    if v.activity ~= activity then
      v.activity = activity
      v.arrived = false
      if activity == "work" then
        v.goal = v.work
      elseif activity == "drink" then
        v.goal = v.tavern
      else
        v.goal = v.home
      end
    end
  end,
}
