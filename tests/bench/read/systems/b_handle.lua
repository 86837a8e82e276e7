return {
  query = { "target" },
  update = function(q)
    local entity, sum = q.target.entity, 0
    local before = collectgarbage("count")
    for i = 1, q.count do
      sum = sum + entity[i].health.hp
    end
    if world.tick == world.single.bench.last then
      print(("check sum %.17g"):format(sum))
      print(("value handle_garbage %.3f"):format((collectgarbage("count") - before) * 1024 / q.count))
    end
  end,
}
