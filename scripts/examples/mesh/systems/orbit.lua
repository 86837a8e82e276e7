-- Moves entities with `orbit` around the planet on inclined circles. Rockets face their direction of movement.
local sin, cos, atan2 = math.sin, math.cos, math.atan2
local turn, after = shoal.plugins.mesh.turn, shoal.plugins.mesh.after

return {
  query = { "pose", "orbit" },
  update = function(q, dt)
    local o, p, r = q.orbit, q.pose.position, q.pose.rotation
    for i = 1, q.count do
      local phase = (o.phase[i] + o.speed[i] * dt) % (2 * math.pi)
      o.phase[i] = phase
      local x, z, lean = cos(phase) * o.radius[i], sin(phase) * o.radius[i], o.lean[i]
      p.x[i], p.y[i], p.z[i] = x, z * sin(lean) + o.bob[i] * o.radius[i] * 0.2, z * cos(lean)
      if o.heading[i] then
        local along = o.speed[i] > 0 and 1 or -1
        local dx, dz = -sin(phase) * along, cos(phase) * along
        local ax, ay, az, aw = turn(0, 0, 1, -math.pi / 2)          -- points the nose to +x
        local bx, by, bz, bw = turn(0, 1, 0, -atan2(dz, dx))        -- turns the nose within the circle's plane
        ax, ay, az, aw = after(ax, ay, az, aw, bx, by, bz, bw)
        bx, by, bz, bw = turn(1, 0, 0, -lean)                       -- inclines the plane
        r.x[i], r.y[i], r.z[i], r.w[i] = after(ax, ay, az, aw, bx, by, bz, bw)
      end
    end
  end,
}
