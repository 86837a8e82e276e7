return {
  query = { "transform", "motion" },
  update = function(q)
    local x, y, found = q.transform.x, q.transform.y, 0
    for i = 1, q.count do
      found = found + #world.near(x[i], y[i], 60)
    end
    world.single.found.units = world.single.found.units + found
    if world.tick == world.single.bench.last then
      print(("check units %.17g"):format(world.single.found.units))
    end
  end,
}
