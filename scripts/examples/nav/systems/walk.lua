-- Moves the walkers in the direction dir_x, dir_y, which the plugin `nav` computes. A walker that reaches its goal
-- starts again on the other side.
return {
  query = { "transform", "walker", "nav_agent" },
  update = function(q, dt)
    local x, y, walker, agent = q.transform.x, q.transform.y, q.walker, q.nav_agent
    for i = 1, q.count do
      local speed = walker.speed[i] * dt
      walker.vx[i] = walker.vx[i] + (agent.dir_x[i] - walker.vx[i]) * 0.25
      walker.vy[i] = walker.vy[i] + (agent.dir_y[i] - walker.vy[i]) * 0.25
      x[i], y[i] = x[i] + walker.vx[i] * speed, y[i] + walker.vy[i] * speed
      if agent.distance[i] >= 0 and agent.distance[i] < 24 then
        x[i] = x[i] < 640 and world.random(1080, 1260) or world.random(20, 200)
        y[i] = world.random(20, 700)
        walker.speed[i] = world.random(60, 130)
      end
    end
  end,
}
