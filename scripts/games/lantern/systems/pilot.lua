-- Sets the hero's intent in the demo. The pilot plays the game to completion: it chooses the next task, finds paths
-- through the rooms (tiles:way, component `path`), and fights nearby foes. The tests also use this pilot.
local rooms, senses = require "lib.rooms", require "lib.senses"

-- Returns the room of the next task, the target in that room if it is known, and the action: "fight", "use", "touch" or
-- "light".
local function choose_errand()
  local quest, room = world.single.quest, rooms.name()
  local door, gate = world.find("great door"), world.find("gate")
  if door and not door.body.enabled then return "throne", world.find("Snuffer"), "fight" end
  if quest.key then return "hall", door, "use" end
  if not quest.fireball then return "ossuary", nil, "use" end
  if gate and not gate.body.enabled then
    for cloak in world.each("cloak") do
      local hero = world.single.play.hero
      if room == "cistern" and hero.transform.y > 190 and not hero:has "ghost" then return room, cloak, "touch" end
    end
    return "cistern", nil, "use"
  end
  for e in world.each("brazier") do
    if room == "hall" and e:assemblage() == "brazier" and not e.brazier.lit then return "hall", e, "light" end
  end
  return "hall"
end

-- Returns the exit of the current room that leads to the room `target`, directly or through the hall, which connects
-- all rooms.
local function find_exit_to(target)
  for e in world.each("exit") do
    local destination = e.exit.to:match "^[^.]+"
    if destination == target or (destination == "hall" and rooms.name() ~= "hall"
      and target ~= rooms.name()) then return e end
  end
end

local function steer(e, x, y)
  local transform = e.transform
  local dx, dy = x - transform.x, y - transform.y
  local distance = math.sqrt(dx * dx + dy * dy) + 0.01
  e.intent.x, e.intent.y = dx / distance, dy / distance
  return distance
end

local function follow_path(e, x, y, dt)
  local pilot, path = e.pilot, e.path
  pilot.stuck = pilot.stuck - dt
  if pilot.stuck <= 0 then
    local transform, tiles = e.transform, world.tiles(world.single.play.room)
    path.points = tiles:way(transform.x / 16 + 1, (transform.y - 3) / 16 + 1, x / 16 + 1, (y - 3) / 16 + 1, "solid")
      or ""
    path.next, pilot.stuck = 1, 0.5
  end
  local distance = steer(e, x, y)
  if distance > 11 then e.intent.x, e.intent.y = path.dir_x, path.dir_y end
  return distance
end

local function fight(e, foe, dt)
  local pilot = e.pilot
  local distance = steer(e, foe.transform.x, foe.transform.y + (foe:has "bat" and 2 or 0))
  pilot.wait = pilot.wait - dt
  if distance < 26 and pilot.wait <= 0 then
    e.intent.strike, pilot.wait = true, 0.34
  elseif distance < 22 then
    e.intent.x, e.intent.y = -e.intent.x * 0.8, -e.intent.y * 0.8
  end
end

local function fight_boss(e, boss, dt)
  local state, transform = boss:state(), e.transform
  local dx, dy = boss.transform.x - transform.x, boss.transform.y - 8 - transform.y
  local distance = math.sqrt(dx * dx + dy * dy) + 0.01
  if state == "dazed" then
    if distance > 24 then steer(e, boss.transform.x, boss.transform.y - 4) else fight(e, boss, dt) end
  elseif state == "prowling" and e.caster.wait <= 0 and distance < 110 then
    e.intent.x, e.intent.y, e.intent.cast = dx / distance, dy / distance, true
  elseif state == "aiming" or state == "rushing" or distance < 60 then
    local side = (transform.x - 192) * dy - (transform.y - 140) * dx > 0 and -1 or 1
    e.intent.x, e.intent.y = dy / distance * side - dx / distance * 0.4, -dx / distance * side - dy / distance * 0.4
  end
end

local function run_errand(e, dt)
  local room, target, action = choose_errand()
  if room ~= rooms.name() then
    local exit = find_exit_to(room)
    if exit then
      local distance = follow_path(e, exit.transform.x, exit.transform.y, dt)
      if distance < 14 then steer(e, exit.transform.x, exit.transform.y - (exit.exit.to:find "south" and 20 or 0)) end
    end
    return
  end
  if action == "use" and not target then
    for chest in world.each("chest") do target = chest end
  end
  if action == "fight" and target and target:alive() then return fight_boss(e, target, dt) end
  if not target then return end
  local x, y = target.transform.x, target.transform.y
  local offset = action == "light" and 44 or action == "use" and 16 or 0
  if follow_path(e, x, y + offset, dt) < 6 then
    e.intent.x, e.intent.y = 0, -0.25
    e.intent.cast = action == "light"
    e.intent.strike = action == "use" and world.tick % 10 == 0
  end
end

return {
  phase = "pre_update",
  query = { "intent", "pilot", "transform" },
  enter = function(e) e:add("path", { speed = 0 }) end,
  leave = function(e) if e:alive() then e:remove("path") end end,
  each = function(e, dt)
    e.intent.x, e.intent.y, e.intent.strike, e.intent.cast = 0, 0, false, false
    if world.single.travel.stage ~= "none" or not e:has "path" then return end
    local foe = senses.find_foe(e, 54)
    if foe and not foe:has "snuffer" then fight(e, foe, dt) else run_errand(e, dt) end
  end,
}
