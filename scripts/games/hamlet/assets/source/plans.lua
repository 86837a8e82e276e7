-- The rooms as plans of letters, and the objects in them. The legend is in source/maps.lua of Lantern.
local M = {}

M.plans = {
  town = { outside = true, [[
####################
####################
######,,,####%%%%%%#
####,,,,,,,##%%%%%%#
##,,,,,,,,,,,,,::,,#
##,,,,,,,,,,,,,::,,#
##,:::::::::::::::,#
##,:::::::::::::::,#
##,,,,,::,,,,,~~~,,#
###,,,,::,,,,~~~~,,#
####################
####################]] },
  mine = { [[
####################
####################
####################
##................##
##................##
##....##....##....##
##....##....##....##
##................##
##................##
#####..........#####
########....########
########....########]] },
}

-- Returns an object of a room. x, y: column and row of its foot, from 0; `more`: other fields of the object.
local function prop(class, x, y, more)
  local o = { class = class, x = x * 16, y = y * 16 }
  for key, value in pairs(more or {}) do o[key] = value end
  return o
end

M.things = {
  town = {
    prop("arch", 16, 4), prop("door", 16, 4.1, { says = { ["door.to"] = "mine" } }), prop("arrival", 16, 6.4),
    prop("house", 4.6, 5.9), prop("house", 10, 5.6), prop("forge", 3.6, 8.9), prop("smith", 5.2, 9),
    prop("elder", 12.3, 8.5), prop("well", 10.3, 9.2), prop("lamp", 13.6, 5.8), prop("lamp", 7.4, 5.7),
  },
  mine = {
    prop("door", 10, 11.3, { says = { ["door.to"] = "town" } }), prop("arrival", 10, 9.9),
    prop("torch", 5.2, 7), prop("torch", 14.8, 7), prop("torch", 5, 3.7), prop("torch", 15, 3.7),
    prop("ore_vein", 3, 3.8), prop("ore_vein", 7, 3.8), prop("ore_vein", 13, 3.8), prop("ore_vein", 17, 3.8),
    prop("ore_vein", 2.8, 6.4), prop("ore_vein", 17.2, 6.4), prop("ore_vein", 9.2, 7.6),
    prop("gold_vein", 4, 8), prop("gold_vein", 16, 8),
  },
}

return M
