-- Applies hits: shields block them, badly hurt units lose their wings, and units without health are knocked out. The
-- player's units are then disabled, with all their parts, until the next battle; imps and monsters are destroyed.
local parts = require "lib.parts"
-- TIRED: seconds after which damage begins to grow; FALLS: fraction of health below which wings are lost; AIMED: factor
-- of the damage to the player's target
local TIRED, FALLS, AIMED = 22, 0.35, 1.5

local function apply_hit(e, points, kind)
  local match, unit, health = world.single.match, e.unit, e.health
  if health.points <= 0 then return end
  local is_blocked = kind ~= "heal" and e:has("shield")
  if kind ~= "heal" then
    e.pose.flash, points = 1, points * (1 + math.max(0, match.clock - TIRED) * 0.12)
    if e == match.focus then points = points * AIMED end
  end
  if is_blocked then
    kind = "block"
    e.shield:block()
  else
    health.points = math.max(0, math.min(health.max, health.points - points))
  end
  world.emit("burst", { kind = health.points > 0 and kind or "died", x = e.transform.x,
    y = e.transform.y - 30 - e.pose.height, words = is_blocked and "" or tostring(math.abs(math.ceil(points))) })
  if health.points < health.max * FALLS then parts.detach(e, "wings") end
  if health.points > 0 then return end
  if unit.side == -1 then match.score = match.score + unit.worth end
  if unit.side == 1 and e:assemblage() ~= "imp" then e:disable() else e:destroy() end
end

return { after = { "minds", "shots" }, on = { hurt = function(ev)
  for i = 1, ev.count do
    if world.alive(ev.target[i]) then apply_hit(ev.target[i], ev.points[i], ev.kind[i]) end
  end
end } }
