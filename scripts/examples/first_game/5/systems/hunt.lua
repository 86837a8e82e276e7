-- Moths that see the light fly towards it while hungry, and away from it when fed.
local function steer(e, spark, dt)
  local moth, at = e.moth, e.transform
  local dx, dy = spark.transform.x - at.x, spark.transform.y - at.y
  local sees = dx * dx + dy * dy < spark.light.range * spark.light.range * 1.7
  if sees then
    local wanted = math.atan2(dy, dx) + (e:has("hungry") and 0 or math.pi) -- a fed moth flies away
    local turn = (wanted - moth.turn + math.pi) % (2 * math.pi) - math.pi
    moth.turn = moth.turn + turn * 2.4 * dt
  end
  moth.turn = moth.turn + world.random(-4.5, 4.5) * dt
end

return {
  query = { "moth", "transform" },
  each = function(e, dt)
    for spark in world.each("spark", "light", "transform") do steer(e, spark, dt) end
    local moth, at = e.moth, e.transform
    at.x = at.x + moth.speed * math.cos(moth.turn) * dt
    at.y = at.y + moth.speed * math.sin(moth.turn) * dt
    at.angle = moth.turn + math.pi / 2
    at.scale_x = 0.55 + 0.45 * math.sin(world.time * 22 + moth.turn) -- flaps its wings
  end,
}
