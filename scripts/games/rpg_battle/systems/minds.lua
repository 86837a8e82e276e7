-- Chooses targets and moves units towards them. The target is the nearest enemy; the player's target counts as nearer
-- for the player's units, and flyers count as farther for units with swords that do not fly.
local parts = require "lib.parts"
local SIGHT = 250 -- distance (pixels) at which units that hold their position attack
local function choose(e, q)
  local unit, best, min_far = e.unit, shoal.none, math.huge
  local is_earthbound = e.attack.reach < 80 and not e:has("wings")
  for k = 1, q.count do
    local other = q.entity[k]
    if other.unit.side ~= unit.side and other.health.points > 0 then
      local far = parts.far(e, other)
      if is_earthbound and other:has("wings") then far = far + 2000 end -- makes flyers the last choice
      if unit.side == 1 and other == world.single.match.focus then far = far - 700 end
      if far < min_far then best, min_far = other, far end
    end
  end
  return best
end
local function step(e, dt)
  local unit, walk, at, target = e.unit, e.walk, e.transform, e.unit.target
  if not world.alive(target) then return end
  local x, y, near = target.transform.x, target.transform.y, e.attack.reach * 0.9
  local waits = unit.side == 1 and world.single.match.holds and parts.far(e, target) > SIGHT
  if waits then x, y, near = unit.home_x, unit.home_y, 8 end
  local dx, dy = x - at.x, y - at.y
  local far = math.sqrt(dx * dx + dy * dy)
  if far <= near then return end
  at.x, at.y = at.x + dx / far * walk.speed * dt, at.y + dy / far * walk.speed * dt
  walk.stride = walk.stride + dt * walk.speed * 0.14
end
return {
  when = { match = { phase = "battle" } },
  query = { "unit", "health", "walk", "attack", "transform" },
  update = function(q, dt)
    for i = 1, q.count do
      local unit = q.entity[i].unit
      if (world.tick + i) % 20 == 0 or not parts.can_fight(unit.target) then unit.target = choose(q.entity[i], q) end
    end
    for i = 1, q.count do
      local e, at = q.entity[i], q.entity[i].transform
      step(e, dt)
      for k = 1, i - 1 do -- keeps units apart
        local other = q.entity[k].transform
        local dx, dy = at.x - other.x, (at.y - other.y) * 1.6
        local push = math.max(0, 3.7 / (math.sqrt(dx * dx + dy * dy) + 0.01) - 0.08)
        at.x, at.y, other.x, other.y = at.x + dx * push, at.y + dy * push, other.x - dx * push, other.y - dy * push
      end
      at.x, at.y = math.max(180, math.min(1100, at.x)), math.max(370, math.min(640, at.y))
    end
  end,
}
