-- The machine at the cannon, when nobody plays: out of the way of bombs first, then below whoever is low and near.
-- It says where to go, from -1 to 1, and whether to fire.
local looks = require "looks"

return function(x)
  local speed = world.single.fleet.way * 14 / (0.06 + 0.57 * world.count("invader") / 55)
  local flee, danger, goal, least = 0, 190, 640, math.huge
  for e in world.each("bomb", "transform") do
    local off, above = x - e.transform.x, looks.cannon - e.transform.y
    if math.abs(off) < 44 and above > -20 and above < danger then
      flee, danger = x < 110 and 1 or x > 1170 and -1 or off < 0 and -1 or 1, above
    end
  end
  for e in world.each("invader") do
    local ahead = e.invader.x + speed * (looks.cannon - e.invader.y) / looks.shot
    local worth = math.abs(ahead - x) - e.invader.y * 0.4
    if ahead > looks.left and ahead < looks.right and worth < least then goal, least = ahead, worth end
  end
  for e in world.each("saucer", "transform", "mover") do
    local ahead = e.transform.x + e.mover.vx * (looks.cannon - looks.saucer) / looks.shot
    if math.abs(ahead - x) < 240 then goal = ahead end
  end
  return flee ~= 0 and flee or math.max(-1, math.min(1, (goal - x) / 24)), math.abs(goal - x) < 16
end
