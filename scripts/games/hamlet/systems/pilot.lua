-- Plays the demo: digs until the bag contains ENOUGH pieces, and sells all of them to the smith.
local ENOUGH = 8 -- number of pieces with which the pilot goes to the smith

local function find_smith()
  for e in world.each { "folk", "transform" } do
    if e.folk.name == "smith" then return e end
  end
end

local function find_vein(e)
  local nearest, vein = math.huge, nil
  for other in world.each { "vein", "transform" } do
    local dx, dy = other.transform.x - e.transform.x, other.transform.y - e.transform.y
    if other.vein.left > 0 and dx * dx + dy * dy < nearest then nearest, vein = dx * dx + dy * dy, other end
  end
  return vein
end

-- Returns the next target of the pilot, and true if it is a door.
local function choose_target(e)
  local bag, is_town = e.hero.bag.bag, world.single.play.place == "town"
  local amount = bag.ore + bag.gold
  local target = is_town and amount > 0 and find_smith() or not is_town and amount < ENOUGH and find_vein(e)
  if target then return target, false end
  return world.query({ "door", "transform" }).entity[1], true
end

local function follow_path(e, x, y, dt)
  local pilot, path, transform = e.pilot, e.path, e.transform
  pilot.wait = pilot.wait - dt
  if pilot.wait <= 0 then
    local tiles = world.tiles(world.query({ "room" }).entity[1])
    path.points = tiles:way(transform.x / 16 + 1, (transform.y - 3) / 16 + 1, x / 16 + 1, (y - 3) / 16 + 1, "solid")
      or ""
    path.next, pilot.wait = 1, 0.4
  end
  e.intent.x, e.intent.y = path.dir_x, path.dir_y
end

return {
  phase = "pre_update",
  after = { "residents" },
  query = { "intent", "pilot", "transform", "hero" },
  enter = function(e) e:add("path", { speed = 0 }) end,
  each = function(e, dt)
    local intent = e.intent
    intent.x, intent.y, intent.use, intent.back = 0, 0, false, false
    local target, is_door = choose_target(e)
    if not target or not e:has "path" then return end
    local x, y = target.transform.x, target.transform.y + (is_door and 0 or 14)
    local dx, dy = x - e.transform.x, y - e.transform.y
    local distance = math.sqrt(dx * dx + dy * dy)
    if distance > 20 then
      follow_path(e, x, y, dt)
    elseif distance > 4 then
      intent.x, intent.y = dx / distance, dy / distance
    end
    intent.use = not is_door and distance < 6 and world.tick % 20 == 0
  end,
}
