-- Records `hit` events after handle_cancel has run, and calls `want.on_hit` for each. If `want.spawn_in_handler` is
-- set, the handler spawns an entity and emits an event.
local seen = require("lib.seen")

return {
  after = "handle_cancel",
  priority = -5,
  on = {
    hit = function(ev)
      for i = 1, ev.count do
        seen.note("late", ev.what[i], ev.power[i])
        if seen.want.on_hit then
          seen.want.on_hit(ev.who[i])
        end
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
