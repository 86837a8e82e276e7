-- Records which entities start and stop matching, and counts the calls to `start`.
local seen = require("lib.seen")

return {
  query = { "probe", "marker" },
  start = function() seen.starts = (seen.starts or 0) + 1 end,
  enter = function(e)
    seen.note("enter", e.probe.n)
    seen.first_entered = seen.first_entered or e.probe.n
    if seen.want.kill_on_enter then
      e:destroy()
    end
  end,
  leave = function(e)
    seen.note("leave", e:alive())
    if seen.want.on_leave then
      seen.want.on_leave(e)
    end
    if seen.want.destroy_on_leave then
      e:destroy()
    end
    if seen.want.spawn_on_leave then
      world.spawn(nil, { label = { text = "left" } })
    end
  end,
  each = function(e)
    seen.note("each", e.probe.n)
  end,
}
