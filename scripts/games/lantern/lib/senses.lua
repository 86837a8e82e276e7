-- Queries for the objects and foes near the hero.
local M = {}
local DOOR_RESTS = 180 -- ticks for which the locked door does not repeat its message

-- Returns the direction in which the hero looks, rounded to one of four: x, y.
function M.facing(e)
  local walk = e.walk
  if math.abs(walk.x) > math.abs(walk.y) then return walk.x < 0 and -1 or 1, 0 end
  return 0, walk.y < 0 and -1 or 1
end

local function is_usable(object)
  if object:has "chest" or object:has "keeper" then return true end
  local is_closed_door = object:name() == "great door" and object.body.enabled
  local has_rested = world.tick - world.single.play.door_tick > DOOR_RESTS
  return is_closed_door and (world.single.quest.key or has_rested)
end

-- Returns the object in front of the hero that the hero can use; nil if there is no object.
function M.find_usable(e)
  local transform, x, y = e.transform, M.facing(e)
  for _, object in ipairs(world.box(transform.x - 5 + x * 9, transform.y - 8 + y * 9, transform.x + 5 + x * 9,
    transform.y + 1 + y * 9, "solid")) do
    if is_usable(object) then return object end
  end
end

-- Returns a foe within `distance` pixels that is not hidden by a wall; nil if there is no such foe.
function M.find_foe(e, distance)
  local transform = e.transform
  for _, foe in ipairs(world.near(transform.x, transform.y - 4, distance, "foe")) do
    local foe_transform = foe.transform
    if foe:has "foe" and not world.ray(transform.x, transform.y - 4, foe_transform.x, foe_transform.y - 4, 0,
      true) then return foe end
  end
end

return M
