return {
  query = { "turner" },
  update = function(q)
    local c, now = q.turner, world.time
    for i = 1, q.count do
      c.angle[i] = math.atan2(c.vy[i], c.vx[i]) + 0.125 * math.sin(now + c.wave[i])
    end
  end,
}
