-- Records `hit` events after handle_cancel has run; spawns and emits in the handler if a test wants it.
local seen = require("lib.seen")

return {
  after = "handle_cancel",
  priority = -5,
  on = {
    hit = function(ev)
      for i = 1, ev.count do
        seen.note("late", ev.what[i], ev.power[i])
      end
      seen.kept_power = ev.power
      if seen.want.spawn_in_handler then
        seen.want.spawn_in_handler = nil
        seen.spawned = world.spawn("rock")
        world.emit("hit", { what = "echo" })
      end
    end,
  },
}
