-- The eater eats rectangles that are smaller than itself: the smaller they are, the more health and points they give.
-- Any other rectangle bites the eater.
-- CHAIN: seconds to continue a chain; GRACE: seconds of invulnerability after a bite; BITE: health lost to a bite
local CHAIN, GRACE, BITE = 1, 0.9, 14

local function eat(eater, e, match)
  local own, food, at = eater.eater, e.food, e.transform
  local small = 1 - food.side / own.side
  match.chain.bites, match.chain.left = match.chain.bites + 1, CHAIN
  local points = math.floor((10 + 30 * small) * match.worth * math.min(5, match.chain.bites) + 0.5)
  match.points = match.points + points
  if not match.demo and match.points > settings.best then settings.best, match.is_best = match.points, true end
  own.health, own.mouth = math.min(100, own.health + 2 + 5 * small), 0.18
  world.emit("eaten", { x = at.x, y = at.y, tone = food.tone, points = points, side = food.side })
  for _ = 1, e:has("breeds") and food.side > 26 and e.breeds.count or 0 do
    world.spawn("morsel", { transform = { x = at.x + world.random(-70.5, 70.5), y = at.y + world.random(-70.5, 70.5) },
      food = { side = 14 + 8 * world.random(), tone = food.tone } })
  end
  e:destroy()
end

local function bite(eater, e, nx, ny)
  local own = eater.eater
  if own.grace > 0 then return end
  own.health, own.grace, own.vx, own.vy = own.health - BITE, GRACE, -nx * 620, -ny * 620
  e.food.side = e.food.side - 14
  world.single.match.chain.bites = 0
  world.emit("bitten", { x = eater.transform.x, y = eater.transform.y })
end

return {
  phase = "post_update",
  after = { "shoal.collision" },
  when = { match = { phase = "course" } },
  on = { collision = function(ev)
    for i = 1, ev.count do
      local eater, e, match = ev.a[i], ev.b[i], world.single.match
      if e:alive() and e.food.side < eater.eater.side then
        eat(eater, e, match)
      elseif e:alive() then
        bite(eater, e, ev.nx[i], ev.ny[i])
      end
    end
  end },
}
