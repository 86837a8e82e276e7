-- The AI of the demo. If a bomb is near, the AI dodges; otherwise it steers towards a power-up, or aims at a nearby
-- saucer or at an invader that is near and low.
local looks = assets.json "looks.json"

-- Returns the direction in which to flee from the nearest bomb, -1 or 1, or nil if no bomb is near.
local function choose_dodge(x)
  local direction, danger = nil, 190
  for e in world.each("bomb", "transform") do
    local offset, height = x - e.transform.x, looks.cannon_y - e.transform.y
    if math.abs(offset) < 44 and height > -20 and height < danger then
      direction, danger = x < 110 and 1 or x > 1170 and -1 or offset < 0 and -1 or 1, height
    end
  end
  return direction
end

-- Returns the x coordinate to aim at. A low power-up takes priority over a saucer, and a saucer over an invader.
-- Saucers and invaders move, so the AI aims ahead of them.
local function choose_goal(x)
  local speed = world.single.fleet.way * 14 / (0.06 + 0.57 * world.count("invader") / 55)
  local goal, min_cost = 640, math.huge
  for e in world.each("invader") do
    local aim = e.invader.x + speed * (looks.cannon_y - e.invader.y) / looks.shot_speed
    local cost = math.abs(aim - x) - e.invader.y * 0.4
    if aim > looks.left and aim < looks.right and cost < min_cost then goal, min_cost = aim, cost end
  end
  for e in world.each("saucer", "transform", "mover") do
    local aim = e.transform.x + e.mover.vx * (looks.cannon_y - looks.saucer_y) / looks.shot_speed
    if math.abs(aim - x) < 240 then goal = aim end
  end
  for e in world.each("powerup", "transform") do
    if e.transform.y > 430 and math.abs(e.transform.x - x) < 420 then goal = e.transform.x end
  end
  return goal
end

-- Returns the direction, -1 to 1, and whether to fire, for a cannon at the given x coordinate.
return function(x)
  local goal = choose_goal(x)
  return choose_dodge(x) or math.max(-1, math.min(1, (goal - x) / 24)), math.abs(goal - x) < 16
end
