return {
  every = 5,
  update = function()
    if world.count("thing") ~= 0 then error("not all were destroyed") end
    for i = 1, world.single.bench.count / 10 do
      world.spawn("thing", { position = { x = i % 1024 } })
    end
  end,
}
