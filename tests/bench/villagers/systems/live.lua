return {
  after = "decide",
  query = { "villager", "transform" },
  each = function(e, dt)
    local v, t = e.villager, e.transform
    if v.activity == "sleep" then
      v.tired = math.max(0, v.tired - 0.2)
    else
      v.tired = math.min(100, v.tired + 0.1)
    end
    if v.activity == "eat" and v.arrived then
      v.hunger = 0
    else
      v.hunger = v.hunger + 0.05
    end
    if not v.arrived and v.goal:alive() then
      local goal = v.goal.transform
      local dx, dy = goal.x - t.x, goal.y - t.y
      local distance = math.sqrt(dx * dx + dy * dy)
      local step = v.speed * dt * 20 * (1 - v.tired / 200)
      if distance <= step then
        t.x, t.y, v.arrived = goal.x, goal.y, true
      else
        t.x, t.y = t.x + dx / distance * step, t.y + dy / distance * step
      end
    end
  end,
}
