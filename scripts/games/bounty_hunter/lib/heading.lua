-- Functions for the systems that set the intent of AI hunters.
local looks = assets.json "looks.json"
local M = {}

function M.distance(a, b) return math.sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)) end

-- Returns the entry of looks.skill for the AI hunters. `greed`: the load at which a hunter goes home; `temper`: the
-- load of another hunter that makes it attack; `pace`: its speed relative to a player's.
function M.skill() return looks.skill[world.single.match.players == 0 and "hard" or settings.rivals] end

-- Heads straight for `goal`; hunters slide along rocks.
function M.head(e, goal, dashes)
  local transform, pace = e.transform, M.skill().pace
  local distance = M.distance(transform, goal) + 0.001
  e.intent.x, e.intent.y = (goal.x - transform.x) / distance * pace, (goal.y - transform.y) / distance * pace
  e.intent.dash = dashes
end

return M
