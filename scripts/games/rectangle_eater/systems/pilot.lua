-- Sets the eater's intent: from the player's input or, in the demo, by an AI that chases small nearby rectangles and
-- avoids large ones.
local function keys() return input.axis("go_x"), input.axis("go_y") end

local function pilot(at, own)
  local goal, max_worth, flee_x, flee_y = { x = 640, y = 390 }, 0, 0, 0
  for e in world.each("food", "transform") do
    local dx, dy, side = e.transform.x - at.x, e.transform.y - at.y, e.food.side
    local away = math.sqrt(dx * dx + dy * dy) + 1
    local worth = (1.3 - side / own.side) / (away + 60)
    if side < own.side and worth > max_worth then goal, max_worth = e.transform, worth end
    local room = away - (side + own.side) * 0.7
    if side > own.side - 2 and room < 70 then
      flee_x, flee_y = flee_x - dx / away * (1 - room / 70), flee_y - dy / away * (1 - room / 70)
    end
  end
  local dx, dy = goal.x - at.x, goal.y - at.y
  local away = math.sqrt(dx * dx + dy * dy) + 0.001
  return dx / away + flee_x * 2.2, dy / away + flee_y * 2.2
end

return {
  when = { match = { phase = "course" } },
  query = { "eater", "intent", "transform" },
  each = function(e)
    local x, y = keys()
    if world.single.match.demo then x, y = pilot(e.transform, e.eater) end
    local length = math.max(1, math.sqrt(x * x + y * y))
    e.intent.x, e.intent.y = x / length, y / length
  end,
}
