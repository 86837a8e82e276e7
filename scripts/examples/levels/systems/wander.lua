-- At random times, each slime changes direction or rests.
return {
  query = { "wander", "walk" },
  each = function(e, dt)
    e.wander.left = e.wander.left - dt
    if e.wander.left <= 0 then
      local angle, rests = world.random() * 2 * math.pi, world.random() < 0.35
      e.wander.left = 0.5 + world.random()
      e.walk.x, e.walk.y = rests and 0 or math.cos(angle), rests and 0 or math.sin(angle)
      e.walk.speed = e.wander.speed
    end
  end,
}
