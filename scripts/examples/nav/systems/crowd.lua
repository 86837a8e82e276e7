-- Keeps walkers apart: each moves away from the centre of its neighbours.
return {
  after = "walk",
  query = { "transform", "walker", "neighbours" },
  update = function(q)
    local x, y, near = q.transform.x, q.transform.y, q.neighbours
    for i = 1, q.count do
      local step = 0.04 * near.count[i]
      x[i], y[i] = x[i] + (x[i] - near.centre_x[i]) * step, y[i] + (y[i] - near.centre_y[i]) * step
    end
  end,
}
