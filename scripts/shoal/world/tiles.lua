-- Implements world.tiles(e): access to the cells of an entity's tilemap. The cells are stored in C (tilemap/tilemap.h);
-- the object that scripts get refers only to the entity.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local phases = need("base/phases")
local report = need("base/report")
local weak_table = need("base/weak_table")
local components = need("schema/component")
local collision_layers = need("schema/collision_layers")
local entity = need("world/entity")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.tiles
local M = {}
local ids = weak_table("k") -- object that scripts hold → id of the entity with the tilemap
-- Entity id → object. LuaJIT compiles no function that creates such an object, and loops often call world.tiles for the
-- same entity.
local objects = weak_table("v")
local TURNS = 2 ^ 29 -- C's cells are tile + flips * TURNS, with the flip bits 1 for diagonal, 2 for y, 4 for x
-- C's flip bits → scripts' flip bits: 1 for x, 2 for y, 4 for diagonal
local TO_FLIP = { [0] = 0, 4, 2, 6, 1, 5, 3, 7 }
local TO_TURN = { [0] = 0, 4, 2, 6, 1, 5, 3, 7 }

local function require_id(self, caller)
  local id = ids[self]
  if not id then
    report.raise("%s must be called with a colon: world.tiles(e):%s(…)", caller, caller:match("%a+$"))
  elseif not handle.stays_alive(id) then
    report.raise("%s: %s", caller, components.describe_dead(id))
  end
  return id
end

local function check_cell(caller, layer, x, y)
  if type(layer) ~= "string" then
    report.raise("%s: layer must be a string, got %s", caller, report.describe(layer))
  elseif type(x) ~= "number" or type(y) ~= "number" then
    report.raise("%s: column and row must be numbers (from 1), got %s and %s", caller,
      report.describe(x), report.describe(y))
  end
end

local function raise_from_c(caller)
  report.raise("%s: %s", caller, abi.get_error_text())
end

local methods = {}

function methods.get(self, layer, x, y)
  check_cell("tiles:get", layer, x, y)
  local cell = C.tilemap_get(W, require_id(self, "tiles:get"), layer, x, y, abi.error)
  if cell < 0 then
    raise_from_c("tiles:get")
  end
  return cell % TURNS, TO_FLIP[math.floor(cell / TURNS)]
end

function methods.set(self, layer, x, y, tile, flip)
  entity.changing("tiles:set")
  check_cell("tiles:set", layer, x, y)
  if tile ~= nil and (type(tile) ~= "number" or not (tile >= 0 and tile < TURNS) or tile % 1 ~= 0) then
    report.raise("tiles:set: tile must be an integer (0 for no tile) or nil (the tile in the map's file), got %s",
      report.describe(tile))
  elseif flip ~= nil and not TO_TURN[flip] then
    report.raise("tiles:set: flip must be an integer from 0 to 7 (1: x, 2: y, 4: diagonal), got %s",
      report.describe(flip))
  end
  local cell = tile and tile + TO_TURN[flip or 0] * TURNS or -1
  if not C.tilemap_set(W, require_id(self, "tiles:set"), layer, x, y, cell, abi.error) then
    raise_from_c("tiles:set")
  end
end

function methods.solid(self, x, y)
  check_cell("tiles:solid", "", x, y)
  local result = C.tilemap_is_solid(W, require_id(self, "tiles:solid"), x, y, abi.error)
  if result < 0 then
    raise_from_c("tiles:solid")
  end
  return result == 1
end

-- Returns the tile of a map object and its orientation, as `get` does; 0, 0 if the object has no tile.
function methods.object(self, id)
  if type(id) ~= "number" then
    report.raise("tiles:object: the id must be a number, such as e.map_object.id, got %s", report.describe(id))
  end
  local cell = C.tilemap_get_object_cell(W, require_id(self, "tiles:object"), id, abi.error)
  if cell < 0 then
    raise_from_c("tiles:object")
  end
  return cell % TURNS, TO_FLIP[math.floor(cell / TURNS)]
end

local numbers = ffi.new("double[6]")

-- Returns the name of a tile's tileset and the tile's number in the tileset (from 0), as in the editor, or nil if no
-- tileset contains the tile.
function methods.tileset(self, tile)
  if type(tile) ~= "number" then
    report.raise("tiles:tileset: tile must be a number, as returned by tiles:get, got %s", report.describe(tile))
  end
  local name = C.tilemap_find_tileset(W, require_id(self, "tiles:tileset"), tile, numbers, abi.error)
  if name == nil then
    raise_from_c("tiles:tileset")
  elseif numbers[0] < 0 then
    return nil
  end
  return ffi.string(name), numbers[0]
end

function methods.size(self)
  if not C.tilemap_size(W, require_id(self, "tiles:size"), numbers, abi.error) then
    raise_from_c("tiles:size")
  end
  return { columns = numbers[0], rows = numbers[1], x = numbers[2], y = numbers[3],
    tile_width = numbers[4], tile_height = numbers[5] }
end

local body_found = ffi.new("shoal_entity[1]")
local MARGIN = 2 ^ 20 -- larger than the column and the row of any cell
local MAX_VISITED = 2 ^ 20 -- maximum number of cells visited by one tiles:way search, which bounds its memory
local STEPS = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } }

-- Encodes a cell as a number. The margin allows for a start or goal outside of the map.
local function encode_cell(x, y)
  return (y + MARGIN) * 2 * MARGIN + x + MARGIN
end

local function decode_cell(cell)
  return cell % (2 * MARGIN) - MARGIN, math.floor(cell / (2 * MARGIN)) - MARGIN
end

-- Searches breadth-first from the goal, and returns for every visited cell the next cell on the path to the goal. The
-- order of neighbours is fixed, so the choice between paths of equal length is deterministic.
local function find_next_cells(size, is_free, start, goal)
  local queue, next_cells, head, tail = { goal }, { [goal] = goal }, 1, 1
  while head <= tail and not next_cells[start] and tail < MAX_VISITED do
    local cell = queue[head]
    local column, row = decode_cell(cell)
    head = head + 1
    for _, step in ipairs(STEPS) do
      local x, y = column + step[1], row + step[2]
      local is_inside = x >= size.x and y >= size.y and x < size.x + size.columns and y < size.y + size.rows
      local n = encode_cell(x, y)
      if is_inside and not next_cells[n] and (n == start or is_free(x, y)) then
        next_cells[n] = cell
        tail = tail + 1
        queue[tail] = n
      end
    end
  end
  return next_cells
end

-- Returns the centres of the cells on a shortest path, without the start, as "x,y x,y …" in the coordinates of the
-- tilemap's transform; nil if there is no path, if the search visits MAX_VISITED cells, or if a number is too large.
function methods.way(self, x1, y1, x2, y2, mask)
  check_cell("tiles:way", "", x1, y1)
  check_cell("tiles:way", "", x2, y2)
  mask = mask ~= nil and collision_layers.to_mask("tiles:way", mask)
  local id, size = require_id(self, "tiles:way"), methods.size(self)
  local transform = handle.handle(id).transform
  local tile_width, tile_height = size.tile_width, size.tile_height
  local function is_free(x, y)
    if C.tilemap_is_solid(W, id, x, y, abi.error) ~= 0 then
      return false
    end
    local left, top = transform.x + (x - 1) * tile_width, transform.y + (y - 1) * tile_height
    return not mask or C.near_find_in_box(W, left + 1, top + 1, left + tile_width - 1, top + tile_height - 1, mask,
      body_found, 1) == 0
  end
  local distance = math.max(math.abs(x1), math.abs(y1), math.abs(x2), math.abs(y2))
  if distance ~= distance or distance >= MARGIN then
    return nil
  end
  local start, goal = encode_cell(math.floor(x1), math.floor(y1)), encode_cell(math.floor(x2), math.floor(y2))
  local next_cells = find_next_cells(size, is_free, start, goal)
  local points, cell = {}, next_cells[start] and start
  while cell do
    local x, y = decode_cell(cell)
    if cell ~= start or cell == goal then
      points[#points + 1] = ("%.9g,%.9g"):format(transform.x + (x - 0.5) * tile_width,
        transform.y + (y - 0.5) * tile_height)
    end
    cell = cell ~= goal and next_cells[cell] or nil
  end
  return points[1] and table.concat(points, " ") or nil
end

phases.require_rows("tiles:", methods)

local metatable = {
  __index = function(_, key)
    return methods[key] or report.raise("tiles have no %s%s; available: get, set, object, tileset, solid, size, way",
      report.show(key), report.suggest(key, methods))
  end,
  __newindex = function()
    report.raise("tiles cannot be assigned: use tiles:set(layer, x, y, tile)")
  end,
  __tostring = function(self)
    return "tiles of " .. components.format_title(ids[self])
  end,
  __metatable = false,
}

local function has_tilemap(id)
  local component = components.find_builtin("tilemap")
  if handle.is_queued(id) then
    return C.queued_row(W, id, component.id) ~= abi.NO_ROW
  end
  return component.find_row(id) >= 0
end

---@param e any
---@return shoal.Tiles
function M.get_tilemap(e)
  local id = handle.get_id(e)
  phases.check("world.tiles")
  if not id then
    report.raise("world.tiles: %s is not an entity: pass an entity with a tilemap", report.show(e))
  elseif not handle.stays_alive(id) then
    report.raise("world.tiles: %s", components.describe_dead(id))
  elseif not has_tilemap(id) then
    report.raise("world.tiles: %s has no tilemap: add one, { tilemap = { map = \"cellar.tmj\" } }",
      components.format_title(id))
  end
  local object = objects[id]
  if object then
    return object
  end
  object = newproxy(true)
  local meta = getmetatable(object)
  for name, part in pairs(metatable) do
    meta[name] = part
  end
  ids[object], objects[id] = id, object
  return object
end

return M
