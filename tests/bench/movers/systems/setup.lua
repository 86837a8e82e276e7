return {
  phase = "input",
  start = function()
    world.spawn(nil, { name = "land", transform = {}, tilemap = { map = "land.tmj" } })
    for i = 1, world.single.bench.count do
      world.spawn("slime", {
        transform = { x = 40 + i * 37 % 3100, y = 78 + i % 9 * 96 },
        creep = { speed = 20 + i % 30 },
      })
    end
  end,
}
