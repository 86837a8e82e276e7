-- A sheep walks to a spot, eats for a while, and chooses the next spot.
return {
  query = { "sheep", "transform" },
  update = function(q, dt)
    local sheep, transform = q.sheep, q.transform
    for i = 1, q.count do
      local dx, dy = sheep.to_x[i] - transform.x[i], sheep.to_y[i] - transform.y[i]
      local far = math.sqrt(dx * dx + dy * dy)
      if far > 4 then
        transform.x[i] = transform.x[i] + dx / far * 38 * dt
        transform.y[i] = transform.y[i] + dy / far * 38 * dt
        transform.scale_x[i] = dx < 0 and -1 or 1
      elseif sheep.wait[i] > 0 then
        sheep.wait[i] = sheep.wait[i] - dt
      else
        sheep.wait[i] = 1 + world.random() * 4
        sheep.to_x[i] = 120 + world.random() * 1040
        sheep.to_y[i] = 260 + world.random() * 380
      end
    end
  end,
}
