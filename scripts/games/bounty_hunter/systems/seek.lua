-- Seeking hunters head for the bounty with the best ratio of value to distance. They go home when they carry enough or
-- when it gets late, and chase a hunter who carries more, or the outlaw.
local heading = require "lib.heading"
-- PREY: collision layers of what a hunter attacks; HURRY: assumed speed (pixels/s) when the AI estimates how long it
-- takes to get home
local PREY, HURRY = { "hunter", "outlaw" }, 230

local function best_bounty(at)
  local best, max_worth = { x = 640, y = 360 }, 0
  for other in world.each("bounty", "transform") do
    local worth = (other.bounty.value + 1) / (heading.distance(at, other.transform) + 80)
    if not other.bounty.taken and worth > max_worth then best, max_worth = other.transform, worth end
  end
  return best
end

-- Returns a nearby hunter or outlaw to attack, or nil.
local function find_prey(e, temper)
  for _, other in ipairs(world.near(e.transform.x, e.transform.y, 220, PREY)) do
    local load = other:has("outlaw") and 99 or other.train.load
    if other ~= e and load >= temper and load > e.train.load then return other end
  end
end

return {
  before = "walk",
  when = { match = { phase = { "title", "hunt" } } },
  query = { "seeks", "hunter", "train", "intent", "transform" },
  each = function(e, dt)
    local at, load, skill = e.transform, e.train.load, heading.skill()
    local seconds_home = heading.distance(at, e.hunter.home.transform) / HURRY + 1
    e.seeks.calm = e.seeks.calm - dt
    heading.head(e, best_bounty(at), false)
    if load >= skill.greed or load > 0 and world.single.match.left < seconds_home then return e:enter("returning") end
    local prey = e.seeks.calm < 0 and find_prey(e, skill.temper)
    if prey then
      e:enter("chasing")
      e.chases.prey = prey
    end
  end,
}
