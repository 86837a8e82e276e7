-- Opens and closes the gates at random times. Only a closed gate is an obstacle (`enabled`).
return {
  query = { "gate", "nav_obstacle", "shape" },
  update = function(q, dt)
    local gate, enabled, width = q.gate, q.nav_obstacle.enabled, q.shape.width
    for i = 1, q.count do
      gate.wait[i] = gate.wait[i] - dt
      if gate.wait[i] <= 0 then
        gate.wait[i] = 2 + world.random() * 5
        gate.shut[i] = not gate.shut[i]
        enabled[i] = gate.shut[i]
      end
      width[i] = width[i] + ((gate.shut[i] and 20 or 3) - width[i]) * 0.15
    end
  end,
}
