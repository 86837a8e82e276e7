-- Checks the result: positions must match the speeds, up to the rounding of floats.
local function check(name, sum, start, way)
  if math.abs(sum - start - way) > way / 1000 then
    error(("the sum of %s is %.1f and not %.1f"):format(name, sum, start + way))
  end
end

return {
  phase = "post_update",
  query = { "transform", "motion" },
  every = 100,
  update = function(q)
    local x, y, vx, vy = q.transform.x, q.transform.y, q.motion.vx, q.motion.vy
    local sum_x, sum_y, start_x, start_y, way_x, way_y = 0, 0, 0, 0, 0, 0
    local time = (world.tick + 1) / 60
    for i = 1, q.count do
      sum_x, sum_y = sum_x + x[i], sum_y + y[i]
      start_x, start_y = start_x + i % 1000, start_y + i % 700
      way_x, way_y = way_x + vx[i] * time, way_y + vy[i] * time
    end
    check("x", sum_x, start_x, way_x)
    check("y", sum_y, start_y, way_y)
    if world.tick == 900 then print("check sums 1") end
  end,
}
