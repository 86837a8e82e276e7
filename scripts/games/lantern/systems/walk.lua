-- Converts an intent to the velocity of the mover, which stops at walls and slides along them. Foes stand still while a
-- dialogue or another sequence leads the hero, because the player cannot defend him.

local function is_hero_led()
  local play = world.single.play
  return (play.phase == "playing" or play.phase == "demo") and play.hero:alive() and play.hero:state() == "led"
end

return {
  after = { "slime", "bat", "skeleton", "snuffer" },
  query = { "intent", "walk", "knock", "mover", optional = { "striking", "foe" } },
  update = function(q, dt)
    local intent, walk, knock, mover = q.intent, q.walk, q.knock, q.mover
    local share, is_led = 1 - math.min(1, 9 * dt), is_hero_led()
    for i = 1, q.count do
      local x, y = intent.x[i], intent.y[i]
      local length = math.sqrt(x * x + y * y)
      if length > 1 then x, y = x / length, y / length end
      local speed = (q.has.striking[i] or is_led and q.has.foe[i]) and 0 or walk.speed[i]
      if length > 0.2 and speed > 0 then walk.x[i], walk.y[i] = x, y end
      mover.vx[i], mover.vy[i] = x * speed + knock.x[i], y * speed + knock.y[i]
      knock.x[i], knock.y[i] = knock.x[i] * share, knock.y[i] * share
    end
  end,
}
