-- The world for tests with hostile input: rocks and tanks, which no system changes.
return {
  title = "Hostile",
  id = "hostile",
  budget = { system = 100, load = 300 },
  start = function()
    for i = 1, 20 do
      world.spawn("rock", { health = { hp = i }, label = { text = "rock " .. i } })
    end
    for i = 1, 5 do
      local tank = world.spawn("tank", { name = "tank " .. i })
      tank.gun.left.heat = i
    end
    log.info("begun")
  end,
}
