-- Opens a query for the first time in tick 60: its row order is the order of the components at that time.
return {
  after = "churn",
  update = function()
    if world.tick < 60 then
      return
    end
    local q = world.query { "transform", "glow", optional = { "arm" } }
    for i = 1, q.count do
      world.single.tally.drawn = world.single.tally.drawn + world.random() * i
      q.glow.level[i] = world.random(100)
    end
  end,
}
