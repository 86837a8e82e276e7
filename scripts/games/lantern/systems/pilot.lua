-- Sets the hero's intent in the demo. The pilot plays the game to completion: it chooses the next task, finds paths
-- through the rooms (tiles:way, component `path`), and fights nearby foes. The tests also use this pilot.
local rooms = require "lib.rooms"

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
    local leads = e.exit.to:match "^[^.]+"
    if leads == target or (leads == "hall" and rooms.name() ~= "hall" and target ~= rooms.name()) then return e end
  end
end

local function steer(e, x, y)
  local at = e.transform
  local dx, dy = x - at.x, y - at.y
  local far = math.sqrt(dx * dx + dy * dy) + 0.01
  e.intent.x, e.intent.y = dx / far, dy / far
  return far
end

local function go(e, x, y, dt)
  local pilot, path = e.pilot, e.path
  pilot.stuck = pilot.stuck - dt
  if pilot.stuck <= 0 then
    local at, tiles = e.transform, world.tiles(world.single.play.room)
    path.points = tiles:way(at.x / 16 + 1, (at.y - 3) / 16 + 1, x / 16 + 1, (y - 3) / 16 + 1, "solid") or ""
    path.next, pilot.stuck = 1, 0.5
  end
  local far = steer(e, x, y)
  if far > 11 then e.intent.x, e.intent.y = path.dir_x, path.dir_y end
  return far
end

local function fight(e, foe, dt)
  local pilot = e.pilot
  local far = steer(e, foe.transform.x, foe.transform.y + (foe:has "bat" and 2 or 0))
  pilot.wait = pilot.wait - dt
  if far < 26 and pilot.wait <= 0 then
    e.intent.strike, pilot.wait = true, 0.34
  elseif far < 22 then
    e.intent.x, e.intent.y = -e.intent.x * 0.8, -e.intent.y * 0.8
  end
end

local function fight_boss(e, boss, dt)
  local state, at = boss:state(), e.transform
  local dx, dy = boss.transform.x - at.x, boss.transform.y - 8 - at.y
  local far = math.sqrt(dx * dx + dy * dy) + 0.01
  if state == "dazed" then
    if far > 24 then steer(e, boss.transform.x, boss.transform.y - 4) else fight(e, boss, dt) end
  elseif state == "prowling" and e.caster.wait <= 0 and far < 110 then
    e.intent.x, e.intent.y, e.intent.cast = dx / far, dy / far, true
  elseif state == "aiming" or state == "rushing" or far < 60 then
    local side = (at.x - 192) * dy - (at.y - 140) * dx > 0 and -1 or 1
    e.intent.x, e.intent.y = dy / far * side - dx / far * 0.4, -dx / far * side - dy / far * 0.4
  end
end

-- Returns the nearest foe within 54 pixels that is not hidden by a wall, or nil.
local function threat(e)
  local at = e.transform
  for _, foe in ipairs(world.near(at.x, at.y - 4, 54, "foe")) do
    local to = foe.transform
    if foe:has "foe" and not world.ray(at.x, at.y - 4, to.x, to.y - 4, 0, true) then return foe end
  end
end

local function run_errand(e, dt)
  local room, thing, how = choose_errand()
  if room ~= rooms.name() then
    local exit = find_exit_to(room)
    if exit then
      local far = go(e, exit.transform.x, exit.transform.y, dt)
      if far < 14 then steer(e, exit.transform.x, exit.transform.y - (exit.exit.to:find "south" and 20 or 0)) end
    end
    return
  end
  if how == "use" and not thing then
    for chest in world.each("chest") do thing = chest end
  end
  if how == "fight" and thing and thing:alive() then return fight_boss(e, thing, dt) end
  if not thing then return end
  local x, y = thing.transform.x, thing.transform.y
  local below = how == "light" and 44 or how == "use" and 16 or 0
  if go(e, x, y + below, dt) < 6 then
    e.intent.x, e.intent.y = 0, -0.25
    e.intent.cast = how == "light"
    e.intent.strike = how == "use" and world.tick % 10 == 0
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
    local foe = threat(e)
    if foe and not foe:has "snuffer" then fight(e, foe, dt) else run_errand(e, dt) end
  end,
}
