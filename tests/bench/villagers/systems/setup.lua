local JOBS, BUILDINGS = { "farmer", "smith", "guard", "priest" }, 400

return {
  phase = "input",
  start = function()
    local homes, shops = {}, {}
    for i = 1, BUILDINGS do
      homes[i] = world.spawn("building", { transform = { x = i * 37 % 4000, y = i * 91 % 4000 } })
      shops[i] = world.spawn("building", { transform = { x = i * 53 % 4000, y = i * 29 % 4000 } })
    end
    local tavern = world.spawn("building", { transform = { x = 2000, y = 2000 } })
    for i = 1, world.single.bench.count do
      world.spawn("villager", {
        transform = { x = i * 13 % 4000, y = i * 17 % 4000 },
        villager = { job = JOBS[i * 7919 % 101 % 4 + 1], home = homes[i * 31 % BUILDINGS + 1],
          work = shops[i * 7 % BUILDINGS + 1], tavern = tavern, speed = 50 + i % 50 },
      })
    end
  end,
}
