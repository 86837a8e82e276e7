-- Sets the intent of eaters in the demo: chases small nearby rectangles and avoids large ones.
local function compute_intent(eater, q)
  local position, own_size = eater.position, eater.collision.size
  local goal, max_worth, flee_x, flee_y = { x = 640, y = 390 }, 0, 0, 0
  for i = 1, q.rectangles.count do
    local e = q.rectangles.entity[i]
    local target, size = e.position, e.collision.size
    local dx, dy = target.x - position.x, target.y - position.y
    local distance = math.sqrt(dx * dx + dy * dy) + 1
    local worth = (1.3 - size / own_size) / (distance + 60)
    if size < own_size and worth > max_worth then goal, max_worth = target, worth end
    local margin = distance - (size + own_size) * 1.4
    if size > own_size - 1 and margin < 70 then
      flee_x, flee_y = flee_x - dx / distance * (1 - margin / 70), flee_y - dy / distance * (1 - margin / 70)
    end
  end
  local dx, dy = goal.x - position.x, goal.y - position.y
  local distance = math.sqrt(dx * dx + dy * dy) + 0.001
  return dx / distance + flee_x * 2.2, dy / distance + flee_y * 2.2
end

return {
  before = "userInput",
  when = { match = { phase = "course", demo = true } },
  queries = { eaters = { "playerControlled", "intent", "position", "collision" },
    rectangles = { "collision", "position", without = { "playerControlled" } } },
  update = function(q)
    for i = 1, q.eaters.count do
      local e = q.eaters.entity[i]
      local x, y = compute_intent(e, q)
      local length = math.max(1, math.sqrt(x * x + y * y))
      e.intent.x, e.intent.y = x / length, y / length
    end
  end,
}
