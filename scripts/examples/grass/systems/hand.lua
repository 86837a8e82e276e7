-- The mouse parts the grass, which shows where the hidden pointer is. Until the mouse moves for the first time, a point
-- that wanders on a curve parts the grass.
return {
  query = { "hand", "transform" },
  update = function(q)
    local x, y = input.mouse()
    window.pointer { shown = x == 0 and y == 0 }
    for i = 1, q.count do
      if x == 0 and y == 0 then
        x, y = 640 + 430 * math.cos(world.time * 0.5), 460 + 150 * math.sin(world.time * 0.83)
      end
      q.transform.x[i], q.transform.y[i] = x, y
    end
  end,
}
