-- A fish that turns its side to the light flashes.
local m = shoal.math

return {
  after = "swim",
  query = { "velocity", "fish", "sprite", "steer" },
  kernel = function(q)
    local vx, vy = q.velocity.x, q.velocity.y
    local speed = m.sqrt(vx * vx + vy * vy + 0.01)
    local side = m.max(0, (vy * 0.9 - vx * 0.25) / speed)
    local flash = side * side * side
    local light = 0.42 + 1.9 * flash
    q.sprite.tint.r = q.fish.tint.x * light + 0.10 * flash
    q.sprite.tint.g = q.fish.tint.y * light + 0.12 * flash
    q.sprite.tint.b = q.fish.tint.z * light + 0.12 * flash
  end,
}
