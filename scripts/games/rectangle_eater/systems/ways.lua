-- Moves rectangles with the trait `flees`, `hunts` or `drifts`. systems/flow.lua adds the traits' components to the
-- assemblage of all rectangles.
local looks = assets.json "looks.json"
local TAU = 2 * math.pi

local function away(e, from, speed, within, dt)
  local at = e.transform
  local dx, dy = at.x - from.x, at.y - from.y
  local way = math.sqrt(dx * dx + dy * dy) + 0.001
  if way < within then at.x, at.y = at.x + dx / way * speed * dt, at.y + dy / way * speed * dt end
end

return {
  after = "pilot", before = "decay",
  when = { match = { phase = "course" } },
  queries = { flees = { "flees", "transform" }, hunts = { "hunts", "transform" }, drifts = { "drifts", "transform" } },
  update = function(q, dt)
    local eater = world.find("eater").transform
    for i = 1, q.flees.count do away(q.flees.entity[i], eater, q.flees.flees.speed[i], 240, dt) end
    for i = 1, q.hunts.count do away(q.hunts.entity[i], eater, -q.hunts.hunts.speed[i], 420, dt) end
    for i = 1, q.drifts.count do
      local drifts, at = q.drifts.entity[i].drifts, q.drifts.entity[i].transform
      if drifts.angle == 0 then drifts.angle = 0.001 + TAU * world.random() end
      if at.x < looks.left + 40 or at.x > looks.right - 40 or at.y < looks.top + 40 or at.y > looks.bottom - 40 then
        drifts.angle = math.atan2(390 - at.y, 640 - at.x)
      end
      at.x = at.x + math.cos(drifts.angle) * drifts.speed * dt
      at.y = at.y + math.sin(drifts.angle) * drifts.speed * dt
    end
  end,
}
