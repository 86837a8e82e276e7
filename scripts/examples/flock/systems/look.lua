-- Makes birds face their direction of movement. The denser the flock is around a bird, the darker the bird.
local atan2 = math.atan2

return {
  after = "flock",
  query = { "transform", "flight", "neighbours", "shape" },
  update = function(q)
    local angle, vx, vy, count, colour = q.transform.angle, q.flight.vx, q.flight.vy, q.neighbours.count, q.shape.colour
    for i = 1, q.count do
      angle[i] = atan2(vy[i], vx[i])
      local dense = math.min(1, count[i] / 45)
      colour.r[i], colour.g[i], colour.b[i] = 1 - 0.6 * dense, 0.72 - 0.5 * dense, 0.42 + 0.1 * dense
    end
  end,
}
