-- The plugin nav in a game: agents follow changes of the map.
local function spawn_at(x, y, more)
  more = more or {}
  more.transform = { x = x, y = y }
  return world.spawn(nil, more)
end

return {
  inside = {
    ["agents turn when an obstacle is added, moved, changed or removed"] = function(t)
      local goal = spawn_at(16 + 32 * 20, 16 + 32 * 10)
      local agent = spawn_at(16 + 32 * 10, 16 + 32 * 10, { nav_agent = { goal = goal } })
      local function is_heading_straight()
        return agent.nav_agent.dir_x > 0.999
      end
      t.wait(2)
      t.is_true(is_heading_straight())
      local far = agent.nav_agent.distance
      local wall = spawn_at(16 + 32 * 12, 16 + 32 * 10, { nav_obstacle = { width = 32, height = 32 * 9 } })
      t.wait(2)
      t.is_false(is_heading_straight())
      t.is_true(agent.nav_agent.distance > far)
      wall.transform.y = 16 + 32 * 18
      t.wait(2)
      t.is_true(is_heading_straight())
      wall.nav_obstacle.height = 32 * 31
      t.wait(2)
      t.is_false(is_heading_straight())
      wall.nav_obstacle.enabled = false
      t.wait(2)
      t.is_true(is_heading_straight())
      wall.nav_obstacle.enabled = true
      t.wait(2)
      t.is_false(is_heading_straight())
      wall:destroy()
      t.wait(2)
      t.is_true(is_heading_straight())
      t.equal(agent.nav_agent.distance, far)
      for _, e in ipairs { goal, agent } do
        e:destroy()
      end
      t.wait()
    end,
  },
}
