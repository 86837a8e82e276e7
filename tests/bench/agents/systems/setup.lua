return {
  phase = "input",
  start = function()
    for i = 1, world.single.bench.count do
      world.spawn("agent", {
        transform = { x = i * 37 % 1000, y = i * 91 % 700 },
        agent = { id = i, hunger = i * 13 % 100, energy = i * 29 % 100 },
        idling = { left = i % 50 / 64 },
      })
    end
  end,
}
