-- Sets the intent of eaters in the demo: chases small nearby rectangles and avoids large ones.
local function pilot(eater, q)
  local at, own = eater.position, eater.collision.size
  local goal, max_worth, flee_x, flee_y = { x = 640, y = 390 }, 0, 0, 0
  for i = 1, q.rectangles.count do
    local e = q.rectangles.entity[i]
    local place, size = e.position, e.collision.size
    local dx, dy = place.x - at.x, place.y - at.y
    local away = math.sqrt(dx * dx + dy * dy) + 1
    local worth = (1.3 - size / own) / (away + 60)
    if size < own and worth > max_worth then goal, max_worth = place, worth end
    local room = away - (size + own) * 1.4
    if size > own - 1 and room < 70 then
      flee_x, flee_y = flee_x - dx / away * (1 - room / 70), flee_y - dy / away * (1 - room / 70)
    end
  end
  local dx, dy = goal.x - at.x, goal.y - at.y
  local away = math.sqrt(dx * dx + dy * dy) + 0.001
  return dx / away + flee_x * 2.2, dy / away + flee_y * 2.2
end

return {
  before = "userInput",
  when = { match = { phase = "course", demo = true } },
  queries = { eaters = { "playerControlled", "intent", "position", "collision" },
    rectangles = { "collision", "position", without = { "playerControlled" } } },
  update = function(q)
    for i = 1, q.eaters.count do
      local e = q.eaters.entity[i]
      local x, y = pilot(e, q)
      local length = math.max(1, math.sqrt(x * x + y * y))
      e.intent.x, e.intent.y = x / length, y / length
    end
  end,
}
