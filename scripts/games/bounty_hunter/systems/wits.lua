-- Sets the intent of hunters: from the keys or pad of a player, or from the mood of an AI hunter, which is its state.
-- An entry of looks.skill has three numbers: `greed`, the load at which a hunter goes home; `temper`, the load of
-- another hunter that makes it attack; `pace`, its speed relative to a player's.
local looks, moods = assets.json "looks.json", {}
-- PREY: collision layers of what a hunter attacks; HURRY: speed (pixels/s) with which the AI estimates the time for the
-- way home; CALM: the next chase may begin when hunter.chase, which also counts down below 0, is less than this
local PREY, HURRY, CALM = { "hunter", "outlaw" }, 230, -3

local function far(a, b) return math.sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)) end
local function head(e, at, goal) -- in a straight line, because hunters slide along rocks
  local way = far(at, goal) + 0.001
  e.intent.x, e.intent.y, e.intent.dash = (goal.x - at.x) / way, (goal.y - at.y) / way, false
end
function moods.seeking(e, at, hunter, skill, match)
  local goal, max_worth = { x = 640, y = 360 }, 0
  for other in world.each("bounty", "transform") do
    local worth = (other.bounty.value + 1) / (far(at, other.transform) + 80)
    if not other.bounty.taken and worth > max_worth then goal, max_worth = other.transform, worth end
  end
  head(e, at, goal)
  local late = hunter.load > 0 and match.left < far(at, hunter.home.transform) / HURRY + 1
  if late or hunter.load >= skill.greed then return e:enter("returning") end
  for _, other in ipairs(hunter.chase < CALM and world.near(at.x, at.y, 220, PREY) or {}) do
    local load = other:has("outlaw") and 99 or other.hunter.load
    if other ~= e and load >= skill.temper and load > hunter.load then
      hunter.prey, hunter.chase = other, 2.4
      return e:enter("chasing")
    end
  end
end
function moods.returning(e, at, hunter)
  head(e, at, hunter.home.transform)
  if hunter.load == 0 then e:enter("seeking") end
end
function moods.chasing(e, at, hunter)
  if not hunter.prey:alive() or hunter.chase < 0 or hunter.rest > 0 then return e:enter("seeking") end
  head(e, at, hunter.prey.transform)
  e.intent.dash = far(at, hunter.prey.transform) < 120
end
function moods.ridden(e, _, hunter, _, match)
  local who = match.players == 2 and hunter.home.stash.player or nil
  local x, y = input.axis("go_x", who), input.axis("go_y", who)
  local length = math.max(1, math.sqrt(x * x + y * y))
  e.intent.x, e.intent.y, e.intent.dash = x / length, y / length, input.pressed("dash", who)
end
return {
  when = { match = { phase = { "title", "hunt" } } },
  query = { "hunter", "intent", "transform" },
  each = function(e, dt)
    local match, mood, intent = world.single.match, e:state(), e.intent
    local skill = looks.skill[match.players == 0 and "hard" or settings.rivals]
    e.hunter.chase = e.hunter.chase - dt
    moods[mood](e, e.transform, e.hunter, skill, match)
    if mood ~= "ridden" then intent.x, intent.y = intent.x * skill.pace, intent.y * skill.pace end
  end,
}
