return {
  query = { "place" },
  update = function(q)
    if world.tick == world.single.bench.last then
      local sum = 0
      for i = 1, q.count do sum = sum + q.place.x[i] end
      print(("check x %d"):format(sum))
      print(("check count %d"):format(world.count("value")))
    end
    q:destroy_all()
  end,
}
