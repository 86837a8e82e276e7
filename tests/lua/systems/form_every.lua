-- `update` runs every sixth tick, with the length of six ticks; handlers receive every event.
local seen = require("lib.seen")

return {
  every = 6,
  update = function(dt)
    seen.every_ticks = seen.every_ticks or {}
    table.insert(seen.every_ticks, world.tick)
    seen.every_dt = dt
  end,
  on = {
    hit = function(ev, dt)
      for i = 1, ev.count do
        if ev.what[i] == "every" then
          seen.note("every", ev.power[i])
          seen.every_handler_dt = dt
        end
      end
    end,
  },
}
