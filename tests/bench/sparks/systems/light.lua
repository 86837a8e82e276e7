return {
  phase = "post_update",
  update = function()
    for i = 1, world.single.bench.count - world.count("spark") do
      world.spawn("spark", { spark = { x = i % 100, vx = i % 7 } })
    end
  end,
}
