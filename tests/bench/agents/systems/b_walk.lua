return {
  query = { "walking", "agent", "transform" },
  enter = function(e)
    local angle = e.agent.id * 0.7 + world.tick
    e.walking.vx, e.walking.vy = 40 * math.cos(angle), 40 * math.sin(angle)
  end,
  leave = function(e)
    if e:alive() then e.agent.food = e.agent.food + 1 end
  end,
  each = function(e, dt)
    local walking, place = e.walking, e.transform
    place.x, place.y = place.x + walking.vx * dt, place.y + walking.vy * dt
    e.agent.energy = e.agent.energy - 6 * dt
    walking.left = walking.left - dt
    if walking.left <= 0 then e:enter("idle") end
  end,
}
