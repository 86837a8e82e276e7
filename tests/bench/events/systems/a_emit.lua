return {
  update = function()
    for i = 0, world.single.bench.count - 1 do
      world.emit("hit", { a = i % 1000, b = i % 700, depth = i % 16 })
    end
  end,
}
