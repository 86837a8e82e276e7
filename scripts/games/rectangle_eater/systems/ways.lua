-- Moves rectangles with the trait `flees`, `hunts` or `drifts`, and shows and hides rectangles with `blinks`.
-- systems/flow.lua adds the traits' components to the assemblage of all rectangles.
local looks, plate = assets.json "looks.json", require "lib.plate"
local TAU = 2 * math.pi

-- Moves e away from the nearest eater within `within` pixels or, if `speed` is negative, towards it.
local function move_away(e, speed, within, dt)
  local position = e.position
  local eater_position, distance = plate.nearest_eater(position)
  if not eater_position or distance > within then return end
  local step = speed * dt / (distance + 0.001)
  position.x, position.y = position.x + (position.x - eater_position.x) * step,
    position.y + (position.y - eater_position.y) * step
  plate.keep(position, e.collision)
end

local function drift(e, dt)
  local drifts, position = e.drifts, e.position
  if drifts.angle == 0 then drifts.angle = 0.001 + TAU * world.random() end
  if position.x < looks.left + 40 or position.x > looks.right - 40 or position.y < looks.top + 40
    or position.y > looks.bottom - 40 then
    drifts.angle = math.atan2(390 - position.y, 640 - position.x)
  end
  position.x = position.x + math.cos(drifts.angle) * drifts.speed * dt
  position.y = position.y + math.sin(drifts.angle) * drifts.speed * dt
  plate.keep(position, e.collision)
end

-- A rectangle whose appearance is disabled is not drawn, but can still be eaten, and bites.
local function blink(e, dt)
  local blinks = e.blinks
  if blinks.clock == 0 then blinks.clock = blinks.seconds * world.random() end
  blinks.clock = blinks.clock + dt
  if blinks.clock < blinks.seconds then return end
  blinks.clock, blinks.hidden = blinks.clock - blinks.seconds, not blinks.hidden
  if blinks.hidden then e:disable("appearance") else e:enable("appearance") end
end

return {
  after = "userInput",
  when = { match = { phase = "course" } },
  queries = { flees = { "flees", "position", "collision" }, hunts = { "hunts", "position", "collision" },
    drifts = { "drifts", "position", "collision" }, blinks = { "blinks" } },
  update = function(q, dt)
    for i = 1, q.flees.count do move_away(q.flees.entity[i], q.flees.flees.speed[i], 240, dt) end
    for i = 1, q.hunts.count do move_away(q.hunts.entity[i], -q.hunts.hunts.speed[i], 420, dt) end
    for i = 1, q.drifts.count do drift(q.drifts.entity[i], dt) end
    for i = 1, q.blinks.count do blink(q.blinks.entity[i], dt) end
  end,
}
