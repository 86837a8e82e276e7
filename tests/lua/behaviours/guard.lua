local seen = require("lib.seen")

return {
  state = { timer = 0, mood = shoal.types.enum { "idle", "hunt" }, foe = shoal.types.entity },
  create = function(self)
    seen.note("create", self.state.mood, self.entity:has("probe"))
    self.state.timer = 10
  end,
  update = function(self, dt)
    self.state.timer = self.state.timer + 1
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
    hit = function(self, values)
      seen.note("hit", values.power, self.state.timer > 0)
      self.state.mood, self.state.foe = "hunt", values.from or shoal.none
      seen.message = values
    end,
  },
}
