-- Spawns rocks and makes them fall. The higher the score, the more rocks fall, and the faster.
return {
  queries = { rocks = { "rock", "transform" } },
  update = function(q, dt)
    local pace = 1 + world.single.game.score / 40
    for i = 1, q.rocks.count do
      local at = q.rocks.transform
      at.y[i] = at.y[i] + 130 * pace * dt
      at.angle[i] = at.angle[i] + dt
      if at.y[i] > 960 then q.rocks.entity[i]:destroy() end
    end
    if world.random() < 1.3 * pace * dt then
      world.spawn("rock", { transform = { x = world.random(40, 680), y = -40 } })
    end
  end,
}
