return {
  every = 5,
  update = function()
    for i = 1, world.single.bench.count / 10 do
      world.spawn("body", { position = { x = i % 1024, y = 3 }, velocity = { x = 1, y = i % 7 }, spin = { rate = 0.5 },
        paint = { r = 1, g = 0.5 } })
    end
  end,
}
