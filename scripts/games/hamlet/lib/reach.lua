-- Finds the objects that a hero can use.
local M = {}
local REACH = 19 -- maximum distance of a usable object, in pixels

local function is_usable(e, object, hero)
  return e ~= hero and (e:has "folk" or e:has "vein" and e.vein.left > 0 or e:has "hero")
    and (not e:has "hero" or object.phase == "playing")
end

-- Returns the nearest usable object in reach of a hero (a villager, a vein or another hero); nil if there is none.
function M.find_object(hero)
  local transform, play = hero.transform, world.single.play
  local nearest, object = REACH, nil
  for _, component in ipairs { "folk", "vein", "hero" } do
    for e in world.each { component, "transform" } do
      local dx, dy = e.transform.x - transform.x, e.transform.y - transform.y
      local distance = math.sqrt(dx * dx + dy * dy)
      if distance < nearest and is_usable(e, play, hero) then nearest, object = distance, e end
    end
  end
  return object
end

return M
