-- Makes the fish face their direction of movement, and wag as they swim.
local atan2, sin = math.atan2, math.sin

return {
  after = "swim",
  query = { "fish", "transform", "velocity" },
  update = function(q)
    local angle, vx, vy, wave = q.transform.angle, q.velocity.x, q.velocity.y, q.fish.wave
    local now = world.time * 14
    for i = 1, q.count do
      angle[i] = atan2(vy[i], vx[i]) + 0.12 * sin(now + wave[i])
    end
  end,
}
