-- Reads and writes its own rows and reads other entities. Some rows emit events, destroy entities, or add, set and
-- remove components.
return {
  after = "charge",
  query = { "transform", "charge", optional = { "spark" } },
  update = function(q, dt)
    local x, y = world.lookup("transform").x, world.lookup("transform").y
    local charge, near = q.charge, q.charge.near
    for i = 1, q.count do
      local other = near:raw(i)
      local ox, oy = x[other], y[other]
      if ox then
        local dx, dy = ox - q.transform.x[i], oy - q.transform.y[i]
        charge.exact[i] = charge.exact[i] + math.sqrt(dx * dx + dy * dy) * dt
      end
      local e, id = q.entity[i], q.entity:raw(i)
      if charge.ticks[i] % 50 == id % 50 then
        world.emit("flash", { who = e, energy = charge.value[i], loud = charge.bright[i] })
        if not q.has.spark[i] then
          e:add("spark", { heat = charge.value[i] })
        elseif charge.kind[i] == "odd" then
          e:remove("spark")
        else
          e:set("spark", { heat = id % 1000 })
        end
      end
      if charge.value[i] < 3 then
        e:destroy()
      end
    end
  end,
}
