-- Sways the rays of light from above, and varies their width and brightness.
local sin = math.sin

return {
  query = { "ray", "transform", "sprite" },
  update = function(q)
    local now = world.time
    for i = 1, q.count do
      local phase = q.ray.phase[i]
      q.transform.angle[i] = 0.22 + 0.05 * sin(now * 0.3 + phase)
      q.sprite.width[i], q.sprite.height[i] = 120 + 60 * sin(now * 0.21 + phase), 1500
      q.sprite.tint.a[i] = 0.30 + 0.16 * sin(now * 0.5 + phase * 1.3)
    end
  end,
}
