-- Converts an intent to the velocity of the mover, which stops at walls and slides along them.
return {
  after = { "slime", "bat", "skeleton", "snuffer" },
  query = { "intent", "walk", "knock", "mover", optional = { "striking" } },
  update = function(q, dt)
    local intent, walk, knock, mover = q.intent, q.walk, q.knock, q.mover
    local share = 1 - math.min(1, 9 * dt)
    for i = 1, q.count do
      local x, y = intent.x[i], intent.y[i]
      local length = math.sqrt(x * x + y * y)
      if length > 1 then x, y = x / length, y / length end
      local speed = q.has.striking[i] and 0 or walk.speed[i]
      if length > 0.2 and speed > 0 then walk.x[i], walk.y[i] = x, y end
      mover.vx[i], mover.vy[i] = x * speed + knock.x[i], y * speed + knock.y[i]
      knock.x[i], knock.y[i] = knock.x[i] * share, knock.y[i] * share
    end
  end,
}
