-- Rotates entities around their own axes. The plugin's function `turn` converts an axis and an angle to a rotation.
local turn = shoal.plugins.mesh.turn

return {
  query = { "pose", "spin" },
  update = function(q, dt)
    local s, r = q.spin, q.pose.rotation
    for i = 1, q.count do
      s.angle[i] = (s.angle[i] + s.speed[i] * dt) % (2 * math.pi)
      r.x[i], r.y[i], r.z[i], r.w[i] = turn(s.x[i], s.y[i], s.z[i], s.angle[i])
    end
  end,
}
