-- world.tiles(e): the cells of an entity's tilemap, which C keeps (engine/components/tilemap.h). What a script holds
-- is the entity and these functions.
local need = ...
local abi, component, entity, handle, report, state =
  need("abi"), need("component"), need("entity"), need("handle"), need("report"), need("state")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.tiles
local M = {}
local ids = setmetatable({}, { __mode = "k" }) -- what a script holds → entity's id
local TURNS = 2 ^ 29 -- a cell's tile is below, how it is turned above: in the engine diagonal, y, x from the lowest bit
local TO_FLIP = { [0] = 0, 4, 2, 6, 1, 5, 3, 7 } -- scripts: x 1, y 2, diagonal 4
local TO_TURN = { [0] = 0, 4, 2, 6, 1, 5, 3, 7 }

local function id_of(self, who)
  local id = ids[self]
  if not id then
    report.complain("%s is called with a colon: world.tiles(e):%s(…)", who, who:match("%a+$"))
  elseif not handle.stays_alive(id) then
    report.complain("%s: %s", who, component.obituary(id))
  end
  return id
end

local function check(who, layer, x, y)
  if type(layer) ~= "string" then
    report.complain("%s: a layer is named by a text, not %s", who, report.plain(layer))
  elseif type(x) ~= "number" or type(y) ~= "number" then
    report.complain("%s: a column and a row, from 1, are numbers, not %s and %s", who, report.plain(x), report.plain(y))
  end
end

local function complain(who)
  report.complain("%s: %s", who, abi.error_text())
end

local methods = {}

function methods.get(self, layer, x, y)
  check("tiles:get", layer, x, y)
  local cell = C.tilemap_get(W, id_of(self, "tiles:get"), layer, x, y, abi.error)
  if cell < 0 then
    complain("tiles:get")
  end
  return cell % TURNS, TO_FLIP[math.floor(cell / TURNS)]
end

function methods.set(self, layer, x, y, tile, flip)
  entity.changing("tiles:set")
  check("tiles:set", layer, x, y)
  if tile ~= nil and (type(tile) ~= "number" or not (tile >= 0 and tile < TURNS) or tile % 1 ~= 0) then
    report.complain("tiles:set: a tile is a whole number, 0 for none, or nil for what the map says, not %s",
      report.plain(tile))
  elseif flip ~= nil and not TO_TURN[flip] then
    report.complain("tiles:set: how it is turned is a whole number from 0 to 7 (1: x, 2: y, 4: diagonal), not %s",
      report.plain(flip))
  end
  local cell = tile and tile + TO_TURN[flip or 0] * TURNS or -1
  if not C.tilemap_set(W, id_of(self, "tiles:set"), layer, x, y, cell, abi.error) then
    complain("tiles:set")
  end
end

function methods.solid(self, x, y)
  check("tiles:solid", "", x, y)
  local answer = C.tilemap_solid(W, id_of(self, "tiles:solid"), x, y, abi.error)
  if answer < 0 then
    complain("tiles:solid")
  end
  return answer == 1
end

local numbers = ffi.new("double[6]")

function methods.size(self)
  if not C.tilemap_size(W, id_of(self, "tiles:size"), numbers, abi.error) then
    complain("tiles:size")
  end
  return { columns = numbers[0], rows = numbers[1], x = numbers[2], y = numbers[3],
    tile_width = numbers[4], tile_height = numbers[5] }
end

local metatable = {
  __index = function(_, key)
    return methods[key] or report.complain("tiles have no %s%s: there are get, set, solid and size", report.plain(key),
      report.hint(key, methods))
  end,
  __newindex = function()
    report.complain("tiles are changed by tiles:set(layer, x, y, tile)")
  end,
  __tostring = function(self)
    return "tiles of " .. component.title(ids[self])
  end,
  __metatable = false,
}

---@param e any
---@return shoal.Tiles
function M.of(e)
  local id = handle.id(e)
  if state.loading then
    report.complain("world.tiles: the world is not there while files are loaded; use it in a system")
  elseif not id then
    report.complain("world.tiles: %s is not an entity: world.tiles(e), of one with a tilemap", report.plain(e))
  elseif not handle.stays_alive(id) then
    report.complain("world.tiles: %s", component.obituary(id))
  elseif not C.world_has(W, id, component.by_name.tilemap.id) then
    report.complain("world.tiles: %s has no tilemap: { tilemap = { map = \"cellar.tmj\" } }", component.title(id))
  end
  local made = newproxy(true)
  local meta = getmetatable(made)
  for name, part in pairs(metatable) do
    meta[name] = part
  end
  ids[made] = id
  return made
end

return M
