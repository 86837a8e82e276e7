return {
  every = 5,
  update = function()
    for _ = 1, world.single.bench.count / 10 do
      world.spawn("thing")
    end
  end,
}
