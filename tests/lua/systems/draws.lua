-- Calls seen.want.draw once in a render system, for tests of what such a system may do.
local seen = require("lib.seen")

return {
  phase = "render",
  query = { "probe" },
  on = {
    hit = function(ev)
      if seen.want.draw_event then
        seen.draw_event = { pcall(function() ev.power[1] = 3 end) }
      end
    end,
  },
  update = function(q, dt)
    local draw_now = seen.want.draw
    seen.want.draw = nil
    if draw_now then
      seen.drawn = { pcall(draw_now, q, dt) }
    end
  end,
}
