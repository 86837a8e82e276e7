return {
  fields = { timer = 0, foe = shoal.types.entity },
  create = function(self)
    self.timer = 1
  end,
  update = function(self)
    self.timer = self.timer + 1
    if world.random(50) == 1 then
      self.entity:destroy()
    end
  end,
  destroy = function()
    world.spawn("rock")
  end,
  on = {
    hit = function(self, ev)
      self.foe = ev.who
    end,
  },
}
