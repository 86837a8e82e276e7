-- `update` runs every sixth tick; handlers receive every event.
local seen = require("lib.seen")

return {
  every = 6,
  update = function(dt)
    seen.every_ticks = seen.every_ticks or {}
    table.insert(seen.every_ticks, world.tick)
  end,
  on = {
    hit = function(ev)
      for i = 1, ev.count do
        if ev.what[i] == "every" then
          seen.note("every", ev.power[i])
        end
      end
    end,
  },
}
