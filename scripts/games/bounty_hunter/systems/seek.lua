-- Seeking hunters head for the bounty with the best ratio of value to distance. They go home when they carry enough or
-- when it gets late, and chase a hunter who carries more, or the outlaw.
local heading = require "lib.heading"
-- PREY: collision layers that a hunter attacks; HURRY: assumed speed (pixels/s) when the AI estimates how long it takes
-- to get home
local PREY, HURRY = { "hunter", "outlaw" }, 230

local function find_best_bounty(transform)
  local best, max_worth = { x = 640, y = 360 }, 0
  for bounty in world.each("bounty", "transform") do
    local worth = (bounty.bounty.value + 1) / (heading.distance(transform, bounty.transform) + 80)
    if not bounty.bounty.taken and worth > max_worth then best, max_worth = bounty.transform, worth end
  end
  return best
end

-- Returns a nearby hunter or outlaw that is worth attacking; nil if there is none.
local function find_prey(e, temper)
  for _, target in ipairs(world.near(e.transform.x, e.transform.y, 220, PREY)) do
    local load = target:has("outlaw") and 99 or target.train.load
    if target ~= e and load >= temper and load > e.train.load then return target end
  end
end

return {
  before = "walk",
  when = { match = { phase = { "title", "hunt" } } },
  query = { "seeks", "hunter", "train", "intent", "transform" },
  each = function(e, dt)
    local transform, load, skill = e.transform, e.train.load, heading.skill()
    local seconds_home = heading.distance(transform, e.hunter.home.transform) / HURRY + 1
    e.seeks.calm = e.seeks.calm - dt
    heading.head(e, find_best_bounty(transform), false)
    if load >= skill.greed or load > 0 and world.single.match.left < seconds_home then return e:enter("returning") end
    local prey = e.seeks.calm < 0 and find_prey(e, skill.temper)
    if prey then
      e:enter("chasing")
      e.chases.prey = prey
    end
  end,
}
