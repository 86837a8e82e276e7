-- Eaters collide with all other entities that have `collision`, including other eaters. An eater eats entities that are
-- smaller than itself: the smaller it is, the more health and points it gives. Any other rectangle bites the eater. For
-- each rectangle that is eaten, a new rectangle may appear.
local plate = require "lib.plate"
-- CHAIN: seconds to continue a chain; GRACE: seconds of invulnerability after a bite; BITE: health that a bite costs
-- the eater, at most half of its health; BITTEN: health that the bite costs the rectangle; MEAL: additional health for
-- a starving eater; COUNT: number of rectangles; CRUMBS: number of additional rectangles while an eater starves
local CHAIN, GRACE, BITE, BITTEN, MEAL, COUNT, CRUMBS = 1, 0.9, 14, 19, 5, 20, 8

local function do_touch(a, b)
  local position, other_position, extent, other_extent = a.position, b.position, a.collision, b.collision
  return math.abs(position.x - other_position.x) < extent.size * extent.aspect + other_extent.size * other_extent.aspect
    and math.abs(position.y - other_position.y) < extent.size / extent.aspect + other_extent.size / other_extent.aspect
end

local function breed(e)
  local position, looks = e.position, e:has("appearance") and e.appearance
  for _ = 1, e:has("breeds") and e.collision.size > 13 and e.breeds.count or 0 do
    plate.spawn(position.x + world.random(-70.5, 70.5), position.y + world.random(-70.5, 70.5), 8 + 4 * world.random(),
      1,
      looks and { r = looks.colors.r, g = looks.colors.g, b = looks.colors.b }, true)
  end
end

local function eat(eater, e, match)
  local position, smallness = e.position, 1 - e.collision.size / eater.collision.size
  match.chain.bites, match.chain.left = match.chain.bites + 1, CHAIN
  local points = math.floor((10 + 30 * smallness) * match.worth * math.min(5, match.chain.bites) + 0.5)
  match.points = match.points + points
  if not match.demo and match.points > settings.best then
    settings.best, match.is_best = match.points, match.record > 0
  end
  if eater:has("health") then
    local health = eater.health.value
    eater.health.value = math.min(100, health + 2 + 5 * smallness + (health < plate.STARVING and MEAL or 0))
  end
  eater.mouth.open = 0.18
  local colors = e:has("appearance") and e.appearance.colors or { r = 255, g = 255, b = 255 }
  world.emit("eaten", { x = position.x, y = position.y, points = points, r = colors.r, g = colors.g, b = colors.b })
  breed(e)
  e:destroy()
  if world.random() < 0.5 then plate.serve() end
end

local function bite(eater, e, match)
  local position, mouth = eater.position, eater.mouth
  if mouth.grace > 0 then return end
  local dx, dy = position.x - e.position.x, position.y - e.position.y
  local length = math.sqrt(dx * dx + dy * dy) + 0.001
  mouth.grace, eater.motion.vx, eater.motion.vy = GRACE, dx / length * 620, dy / length * 620
  if eater:has("health") then eater.health.value = eater.health.value - math.min(BITE, eater.health.value / 2) end
  if e:has("health") and not e:has("playerControlled") then e.health.value = math.max(1, e.health.value - BITTEN) end
  match.chain.bites = 0
  world.emit("bitten", { x = position.x, y = position.y })
end

-- The larger of two eaters eats the smaller one, unless the smaller one is invulnerable. Eaters of equal size bite each
-- other.
local function handle_contact(eater, e, match)
  local size, own_size, is_eater = e.collision.size, eater.collision.size, e:has("playerControlled")
  if size < own_size then
    if not is_eater or e.mouth.grace <= 0 then eat(eater, e, match) end
  elseif size == own_size or not is_eater then
    bite(eater, e, match)
  end
end

return {
  after = { "userInput", "ways" },
  when = { match = { phase = "course" } },
  queries = { eaters = { "playerControlled", "collision", "position", "motion", "mouth" },
    all = { "collision", "position" } },
  update = function(q, dt)
    local match = world.single.match
    match.chain.left = match.chain.left - dt
    if match.chain.left < 0 then match.chain.bites = 0 end
    for i = 1, q.eaters.count do
      local eater = q.eaters.entity[i]
      for k = 1, q.all.count do
        local e = q.all.entity[k]
        if e ~= eater and e:alive() and eater:alive() and do_touch(eater, e) then handle_contact(eater, e, match) end
      end
    end
    local count = COUNT + (plate.find_starving() and CRUMBS or 0)
    if q.all.count - q.eaters.count < count then plate.serve() end
  end,
}
