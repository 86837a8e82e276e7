local nav = shoal.plugins.nav

local function spawn_wall(x, y, width, height)
  return world.spawn(nil, { transform = { x = x, y = y }, nav_obstacle = { width = width, height = height } })
end

return {
  ["a path goes around a wall, and through it when it opens"] = function(t)
    local gate = spawn_wall(320, 200, 32, 400)
    t.wait(2)
    local x, count, y = nav.path(100, 200, 540, 200)
    t.is(count > 16, "too short: " .. count)
    for i = 1, count do t.is(nav.cost(x[i], y[i]) == 1) end
    gate.nav_obstacle.enabled = false
    t.wait(2)
    local _, straight = nav.path(100, 200, 540, 200)
    t.equal(straight, 14)
  end,
  ["a disabled obstacle does not block, and a disabled agent keeps its direction"] = function(t)
    local gate = spawn_wall(320, 200, 32, 400)
    local goal = world.spawn(nil, { transform = { x = 540, y = 200 } })
    local agents = {}
    for i = 1, 3 do
      agents[i] = world.spawn(nil, { transform = { x = 100, y = 200 }, nav_agent = { goal = goal } })
    end
    t.wait(2)
    local distance = agents[2].nav_agent.distance
    t.is(distance > 500, "no way around: " .. distance)
    agents[2]:disable("nav_agent")
    gate:disable("nav_obstacle")
    t.wait(2)
    local _, straight = nav.path(100, 200, 540, 200)
    t.equal(straight, 14)
    t.equal(agents[2].nav_agent.distance, distance)
    t.is(agents[1].nav_agent.distance < distance and agents[3].nav_agent.distance < distance)
    agents[2]:enable("nav_agent")
    gate:enable("nav_obstacle")
    gate:disable() -- disables the whole entity
    t.wait(2)
    t.equal(agents[2].nav_agent.distance, agents[1].nav_agent.distance)
    t.equal(nav.cost(320, 200), 1)
  end,
  ["an enclosed goal has no path"] = function(t)
    spawn_wall(400, 400, 32, 200)
    spawn_wall(600, 400, 32, 200)
    spawn_wall(500, 300, 232, 32)
    spawn_wall(500, 500, 232, 32)
    local agent = world.spawn(nil, { transform = { x = 100, y = 100 }, nav_agent = {} })
    agent.nav_agent.goal = world.spawn(nil, { transform = { x = 500, y = 400 } })
    t.wait(2)
    local _, count = nav.path(100, 100, 500, 400)
    t.equal(count, 0)
    t.equal(agent.nav_agent.distance, -1)
    t.equal(agent.nav_agent.dir_x, 0)
  end,
  ["agents that follow their directions arrive"] = function(t)
    spawn_wall(320, 200, 32, 380)
    spawn_wall(480, 520, 32, 400)
    local goal = world.spawn(nil, { transform = { x = 700, y = 360 } })
    local agents = {}
    for i = 1, 20 do
      agents[i] = world.spawn(nil, { transform = { x = 40 + i * 10, y = 30 + i * 30 }, nav_agent = { goal = goal } })
    end
    local left = #agents
    for _ = 1, 400 do
      t.wait()
      left = 0
      for _, e in ipairs(agents) do
        local a = e.nav_agent
        e.transform.x, e.transform.y = e.transform.x + a.dir_x * 5, e.transform.y + a.dir_y * 5
        if a.distance > 20 or a.distance < 0 then left = left + 1 end
      end
      if left == 0 then break end
    end
    t.equal(left, 0)
  end,
  ["nav.cost returns the cost of slow ground and 0 for walls"] = function(t)
    world.spawn(nil, { transform = { x = 200, y = 200 }, nav_obstacle = { kind = "circle", radius = 60, cost = 7 } })
    spawn_wall(600, 200, 64, 64)
    t.wait(2)
    t.equal(nav.cost(200, 200), 7)
    t.equal(nav.cost(600, 200), 0)
    t.equal(nav.cost(-5, 200), 0)
    t.equal(nav.cost(0 / 0, 1 / 0), 0)
  end,
}
