return {
  state = { timer = 0, foe = shoal.types.entity },
  create = function(self)
    self.state.timer = 1
  end,
  update = function(self)
    self.state.timer = self.state.timer + 1
    if world.random(50) == 1 then
      self.entity:destroy()
    end
  end,
  destroy = function()
    world.spawn("rock")
  end,
  on = {
    hit = function(self, values)
      self.state.foe = values.from or shoal.none
    end,
  },
}
