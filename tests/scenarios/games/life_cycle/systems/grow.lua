return {
  priority = 100,
  query = { "age" },
  update = function(q)
    for i = 1, q.count do
      q.age.ticks[i] = q.age.ticks[i] + 1
      local e = q.entity[i]
      if q.age.ticks[i] % 3 == 0 then
        world.emit("grown", { who = e, by = q.entity[1], ticks = q.age.ticks[i] })
      end
      if q.age.ticks[i] > q.age.limit[i] + i % 4 and e:destroy() and e:destroy() then
        error("destroyed twice")
      end
    end
  end,
}
