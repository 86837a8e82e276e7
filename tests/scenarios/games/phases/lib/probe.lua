-- Returns probe(phase, panel). If lib/phase.lua selects `phase`, probe calls every function in this phase, and prints
-- "PHASE NAME refused" or "PHASE NAME allowed" for each. The calls have invalid or no arguments: the phase is checked
-- first.
local selected, rows = require("lib.phase"), require("lib.rows")
local kept, is_done = {}, false -- kept: objects by the prefix of their methods

local REFUSALS = { "is not allowed in ", "there is no world while files are loaded", "can be called only " }

local SPECIAL = {
  ["shoal.cockpit{…}"] = function() shoal.cockpit {} end,
  ["shoal.cockpit(name)"] = function() shoal.cockpit("no such command") end,
  ["world.focus(e)"] = function() world.focus(7) end,
  ["world.room"] = function() return world.room end,
  ["world.tick"] = function() return world.tick end,
  ["world.time"] = function() return world.time end,
  ["world.single"] = function() return world.single.no_such_single end,
  ["settings"] = function() return settings.no_such_setting end,
  ["input.listen(action)"] = function() input.listen("no such action") end,
  ["input.mouse(player)"] = function() input.mouse(7) end,
  ["window.fullscreen(on)"] = function() window.fullscreen(7) end,
  ["window.scale(mode)"] = function() window.scale(7) end,
  ["window.vsync(on)"] = function() window.vsync(7) end,
  ["e:sequence(name)"] = function(object) object:sequence(7) end,
}

local LIBRARIES = { world = world, input = input, players = players, window = window, music = music, audio = audio,
  assets = assets, chronicle = chronicle, draw = draw, shoal = shoal, menu = false, lobby = false, bit = bit,
  coroutine = coroutine, json = json, log = log, math = math, string = string, table = table, tr = tr, utf8 = utf8,
  ["shoal.math"] = shoal.math }

local function make_query() return world.query { "marker" } end
local function make_tiles() return world.tiles(world.find("tiled")) end

-- Returns the object whose methods have this prefix, or nil if it does not exist yet. Queries and cells of tilemaps are
-- kept, because they cannot be created in every phase.
local function get_object(prefix)
  if prefix == "e" then
    local good, found = pcall(world.find, "probed")
    return good and found or shoal.none
  end
  local make = prefix == "q" and make_query or prefix == "tiles" and make_tiles
  local good, made = pcall(make or error)
  kept[prefix] = good and made or kept[prefix]
  return kept[prefix]
end

local function call_function(name)
  local library, method = name:match("^([%w_.]+)%.([%w_]+)$")
  local prefix, of_object = name:match("^(%a+):([%w_]+)")
  local object
  if prefix then
    object = get_object(prefix)
    if object == nil then
      return "skipped"
    end
  end
  local f
  if SPECIAL[name] then
    f = function() SPECIAL[name](object) end
  elseif prefix then
    f = function() object[of_object](object) end
  elseif library and LIBRARIES[library] then
    f = LIBRARIES[library][method]
  elseif not library then
    f = _G[name]
  end
  if f == nil then
    return "skipped"
  end
  local _, problem = pcall(f)
  problem = tostring(problem)
  local own = name:gsub("[({].*", ""):gsub("color", "colour") -- draw.color is an alias of draw.colour
  for _, refusal in ipairs(REFUSALS) do
    if problem:find(own, 1, true) and problem:find(refusal, 1, true) then
      return "refused"
    end
  end
  return "allowed"
end

return function(phase, panel)
  kept.panel = panel or kept.panel
  if phase ~= "load" and phase ~= "migrate" then
    get_object("q")
    get_object("tiles")
  end
  if phase ~= selected or is_done then
    return
  end
  is_done = true
  for _, name in ipairs(rows) do
    print(phase .. " " .. name .. " " .. call_function(name))
  end
  print(phase .. " ends")
end
