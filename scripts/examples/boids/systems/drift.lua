-- A current carries each school along a slow path. Fish flee from the shark and from the pressed mouse.
local sea = require "lib.sea"
local sin, cos = math.sin, math.cos
local FEAR = 150

local function flee(q, from_x, from_y, reach, strength)
  local x, y, steer_x, steer_y = q.transform.x, q.transform.y, q.steer.x, q.steer.y
  for i = 1, q.count do
    local dx, dy = x[i] - from_x, y[i] - from_y
    local far = dx * dx + dy * dy
    if far < reach * reach then
      local push = strength * (1 - far / (reach * reach))
      steer_x[i], steer_y[i] = steer_x[i] + dx * push, steer_y[i] + dy * push
    end
  end
end

return {
  after = "school",
  queries = { fish = { "fish", "transform", "steer" }, sharks = { "shark", "transform" } },
  update = function(q)
    for i = 1, q.sharks.count do
      flee(q.fish, q.sharks.transform.x[i], q.sharks.transform.y[i], FEAR, 3.2)
    end
    if input.down "frighten" then
      local x, y = input.mouse()
      flee(q.fish, x, y, 220, 5)
    end
    local x, y, steer_x, steer_y, school = q.fish.transform.x, q.fish.transform.y, q.fish.steer.x, q.fish.steer.y,
      q.fish.fish.school
    local now = world.time
    for i = 1, q.fish.count do
      local s = school[i]
      local goal_x = sea.WIDTH * (0.5 + 0.42 * sin(now * 0.10 + s * 1.9))
      local goal_y = sea.HEIGHT * (0.5 + 0.33 * cos(now * 0.13 + s * 2.7))
      local swirl_x, swirl_y = sin(y[i] * 0.008 + now * 0.3 + s), cos(x[i] * 0.006 - now * 0.2 + s * 2)
      steer_x[i] = steer_x[i] + (goal_x - x[i]) * 0.03 + swirl_x * 14
      steer_y[i] = steer_y[i] + (goal_y - y[i]) * 0.05 + swirl_y * 10
    end
  end,
}
