-- Chooses targets and moves units towards them. The target is the nearest enemy; the player's target counts as nearer
-- for the player's units, and flyers count as farther for units with swords that do not fly. Units that hold their
-- position step back from a target that is about to stamp.
local parts = require "lib.parts"
local SIGHT = 250 -- distance (pixels) at which units that hold their position attack
local function choose_target(e, q)
  local unit, best, min_distance = e.unit, shoal.none, math.huge
  local is_earthbound = e.attack.reach < 80 and not e:has("wings")
  for k = 1, q.count do
    local enemy = q.entity[k]
    if enemy.unit.side ~= unit.side and enemy.health.points > 0 then
      local distance = parts.far(e, enemy)
      if is_earthbound and enemy:has("wings") then distance = distance + 2000 end -- makes flyers the last choice
      if unit.side == 1 and enemy == world.single.match.focus then distance = distance - 700 end
      if distance < min_distance then best, min_distance = enemy, distance end
    end
  end
  return best
end
local function walk_to_target(e, dt)
  local unit, walk, transform, target = e.unit, e.walk, e.transform, e.unit.target
  if not world.alive(target) then return end
  local x, y, min_distance = target.transform.x, target.transform.y, e.attack.reach * 0.9
  local is_holding = unit.side == 1 and world.single.match.holds
    and (parts.far(e, target) > SIGHT or parts.is_raised(target))
  if is_holding then x, y, min_distance = unit.home_x, unit.home_y, 8 end
  local dx, dy = x - transform.x, y - transform.y
  local distance = math.sqrt(dx * dx + dy * dy)
  if distance <= min_distance then return end
  transform.x, transform.y = transform.x + dx / distance * walk.speed * dt,
    transform.y + dy / distance * walk.speed * dt
  walk.stride = walk.stride + dt * walk.speed * 0.14
end
return {
  when = { match = { phase = "battle" } },
  query = { "unit", "health", "walk", "attack", "transform" },
  update = function(q, dt)
    for i = 1, q.count do
      local unit = q.entity[i].unit
      if (world.tick + i) % 20 == 0 or not parts.can_fight(unit.target) then unit.target =
        choose_target(q.entity[i], q) end
    end
    for i = 1, q.count do
      local e, transform = q.entity[i], q.entity[i].transform
      walk_to_target(e, dt)
      for k = 1, i - 1 do -- keeps units apart; units of one side stand farther apart, so that each can be seen
        local other_transform = q.entity[k].transform
        local is_ally = q.unit.side[i] == q.unit.side[k]
        local dx, dy = transform.x - other_transform.x, (transform.y - other_transform.y) * (is_ally and 0.9 or 1.05)
        local push = math.max(0, (is_ally and 5 or 3.9) / (math.sqrt(dx * dx + dy * dy) + 0.01) - 0.08)
        transform.x, transform.y, other_transform.x, other_transform.y = transform.x + dx * push,
          transform.y + dy * push, other_transform.x - dx * push, other_transform.y - dy * push
      end
      transform.x, transform.y = math.max(180, math.min(1100, transform.x)), math.max(370, math.min(640, transform.y))
    end
  end,
}
