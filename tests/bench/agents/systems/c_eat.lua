return {
  query = { "eating", "agent" },
  each = function(e, dt)
    e.agent.hunger = math.max(0, e.agent.hunger - 60 * dt)
    e.eating.left = e.eating.left - dt
    if e.eating.left <= 0 then e:enter("idle") end
  end,
}
