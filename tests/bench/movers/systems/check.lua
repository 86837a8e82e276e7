return {
  phase = "post_update",
  query = { "transform", "mover", "creep" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local place, standing, turns = 0, 0, 0
    for i = 1, q.count do
      place = place + q.transform.x[i] * 3 + q.transform.y[i]
      standing = standing + (q.mover.on_floor[i] and 1 or 0)
      turns = turns + q.creep.dir[i]
    end
    print(("check place %.17g"):format(place))
    print(("check standing %.17g"):format(standing))
    print(("check turns %.17g"):format(turns))
  end,
}
