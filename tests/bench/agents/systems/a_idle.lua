return {
  query = { "idling", "agent" },
  each = function(e, dt)
    local agent, idling = e.agent, e.idling
    agent.hunger = agent.hunger + dt
    idling.left = idling.left - dt
    if idling.left <= 0 then
      if agent.energy < 20 then
        e:enter("sleep")
      elseif agent.hunger > 60 then
        e:enter("eat")
      else
        e:enter("walk")
      end
    end
  end,
}
