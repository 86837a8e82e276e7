-- Functions for the systems that set the intent of AI hunters.
local looks = assets.json "looks.json"
local M, BEGINNER = {}, 0.75

function M.distance(a, b) return math.sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)) end

-- Returns the entry of looks.skill for the AI hunters. `greed`: the load at which an AI hunter goes home; `temper`: the
-- minimum load of a hunter that it attacks; `pace`: its speed relative to a player's hunter.
function M.skill() return looks.skill[world.single.match.players == 0 and "hard" or settings.rivals] end

-- Returns the rivals' speed factor: in a player's first game, rivals ride slower on the first two days.
local function choose_handicap()
  local match = world.single.match
  return match.players == 1 and match.record == 0 and match.day < 3 and BEGINNER or 1
end

-- Heads straight for `goal`; hunters slide along rocks.
function M.head(e, goal, dashes)
  local transform, pace = e.transform, M.skill().pace * choose_handicap()
  local distance = M.distance(transform, goal) + 0.001
  e.intent.x, e.intent.y = (goal.x - transform.x) / distance * pace, (goal.y - transform.y) / distance * pace
  e.intent.dash = dashes
end

return M
