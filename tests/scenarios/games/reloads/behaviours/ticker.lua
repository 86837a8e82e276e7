return {
  fields = { ticks = 0 },
  create = function()
    print("ticker: create")
  end,
  update = function(self)
    self.ticks = self.ticks + 1
    if world.tick == 28 then
      print("ticker: ticks " .. self.ticks)
      self.entity:destroy()
    end
  end,
  destroy = function()
    print("ticker: destroy")
  end,
}
