-- Moves entities with `flight`. Walls destroy entities with `spent`.
return {
  query = { "flight", "transform", optional = { "spent" } },
  update = function(q, dt)
    local x, y, tiles = q.transform.x, q.transform.y, nil
    for i = 1, q.count do
      x[i], y[i] = x[i] + q.flight.x[i] * dt, y[i] + q.flight.y[i] * dt
      if q.has.spent[i] then
        tiles = tiles or world.tiles(world.single.play.room)
        if tiles:get("walls", math.floor(x[i] / 16) + 1, math.floor(y[i] / 16) + 1) ~= 0 then
          world.emit("burst", { x = x[i], y = y[i], specks = 5, speed = 40, colour = "#f0a456" })
          q.entity[i]:destroy()
        end
      end
    end
  end,
}
