return {
  query = { "target" },
  update = function(q)
    local id, hp, sum = q.target.entity, world.lookup("health").hp, 0
    local before = collectgarbage("count")
    for i = 1, q.count do
      sum = sum + hp[id:raw(i)]
    end
    if world.tick == world.single.bench.last then
      print(("check sum %.17g"):format(sum))
      print(("value lookup_garbage %.3f"):format((collectgarbage("count") - before) * 1024 / q.count))
    end
  end,
}
