-- Moves the lens slowly around the planet. Keys, or dragging with the mouse, turn it faster.
return {
  query = { "lens", "view" },
  update = function(q, dt)
    local v, eye = q.view, q.lens.eye
    local x, y = input.mouse()
    local dragged = input.down("drag")
    for i = 1, q.count do
      v.turn[i] = v.turn[i] + (0.07 + (input.down("right") and 1.4 or 0) - (input.down("left") and 1.4 or 0)) * dt
        - (dragged and (x - v.mouse_x[i]) * 0.006 or 0)
      v.height[i] = math.max(-1.3, math.min(1.3,
        v.height[i] + ((input.down("up") and 1 or 0) - (input.down("down") and 1 or 0)) * dt
        + (dragged and (y - v.mouse_y[i]) * 0.005 or 0)))
      v.mouse_x[i], v.mouse_y[i] = x, y
      local flat = math.cos(v.height[i]) * v.distance[i]
      eye.x[i], eye.y[i], eye.z[i] = math.sin(v.turn[i]) * flat, math.sin(v.height[i]) * v.distance[i],
        math.cos(v.turn[i]) * flat
    end
  end,
}
