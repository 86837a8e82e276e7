return {
  query = { "sleeping", "agent" },
  each = function(e, dt)
    e.agent.energy = math.min(100, e.agent.energy + 30 * dt)
    e.sleeping.left = e.sleeping.left - dt
    if e.sleeping.left <= 0 then e:enter("idle") end
  end,
}
