local seen = require("lib.seen")

return {
  fields = { timer = 0, mood = shoal.types.enum { "idle", "hunt" }, foe = shoal.types.entity, home = { 3, 4 } },
  create = function(self)
    seen.note("create", self.mood, self.entity:has("probe"))
    self.timer = 10
  end,
  update = function(self, dt)
    self.timer = self.timer + 1
    seen.guard_dt = dt
    if seen.want.keep_in_self then
      seen.self_problem = select(2, pcall(function() self.secret = 5 end))
    end
  end,
  destroy = function(self)
    seen.note("destroy", self.entity:alive())
    if seen.want.on_destroy then
      seen.want.on_destroy(self)
    end
  end,
  on = {
    struck = function(self, ev)
      seen.note("struck", ev.power, self.timer > 0)
      self.mood, self.foe = "hunt", ev.by
      seen.message = ev
    end,
  },
  doubled = function(self) return 2 * self.timer end,
  advance = function(self, by, more)
    self.timer = self.timer + by + (more or 0)
    return self.entity
  end,
}
