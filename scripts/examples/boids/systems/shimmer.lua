-- Fish flash when they turn their side to the light.
return {
  after = "swim",
  query = { "velocity", "fish", "sprite", "steer" },
  precision = "single",
  update = function(q)
    local velocity, body, tint = q.velocity, q.fish.tint, q.sprite.tint
    for i = 1, q.count do
      local vx, vy = velocity.x[i], velocity.y[i]
      local speed = math.sqrt(vx * vx + vy * vy + 0.01)
      local side = math.max(0, (vy * 0.9 - vx * 0.25) / speed)
      local flash = side * side * side
      local light = 0.42 + 1.9 * flash
      tint.r[i] = body.x[i] * light + 0.10 * flash
      tint.g[i] = body.y[i] * light + 0.12 * flash
      tint.b[i] = body.z[i] * light + 0.12 * flash
    end
  end,
}
