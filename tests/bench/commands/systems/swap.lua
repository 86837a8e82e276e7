return {
  query = { "unit" },
  update = function(q)
    local entity = q.entity
    if world.tick % 2 == 0 then
      for i = 1, q.count do
        local e = entity[i]
        e:add("extra")
        e:remove("other")
      end
    else
      for i = 1, q.count do
        local e = entity[i]
        e:add("other")
        e:remove("extra")
      end
    end
  end,
}
