-- world.near, nearest, box and ray: spatial queries for bodies (engine/collision/near_queries.h).
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local report = need("base/report")
local collision_layers = need("schema/collision_layers")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.near
local M = {}
local HIT = ffi.new("near_hit_t[1]")
local buffer, capacity = ffi.new("shoal_entity[64]"), 64

local function check_finite(caller, what, v)
  if type(v) ~= "number" or v ~= v or v - v ~= 0 then
    report.raise("%s: %s must be a finite number, got %s", caller, what, report.describe(v))
  end
end

-- Returns the results of `search` as a list of entities. search(buffer, capacity) fills the buffer and returns the
-- number of results, which may exceed the capacity.
local function collect_entities(search)
  local count = search(buffer, capacity)
  if count > capacity then
    capacity = count * 2
    buffer = ffi.new("shoal_entity[?]", capacity)
    search(buffer, capacity)
  end
  local list = {}
  for i = 1, count do
    list[i] = handle.handle(buffer[i - 1])
  end
  return list
end

---@param x number
---@param y number
---@param radius number
---@param mask? shoal.Layers categories of the bodies to find; nil: all bodies
---@return shoal.Entity[]
function M.near(x, y, radius, mask)
  check_finite("world.near", "x", x)
  check_finite("world.near", "y", y)
  check_finite("world.near", "the radius", radius)
  mask = collision_layers.to_mask("world.near", mask)
  return collect_entities(function(out, max_count)
    return C.near_find_in_circle(W, x, y, math.max(radius, 0), mask, out, max_count)
  end)
end

---@param x number
---@param y number
---@param mask? shoal.Layers
---@return shoal.Entity?
function M.nearest(x, y, mask)
  check_finite("world.nearest", "x", x)
  check_finite("world.nearest", "y", y)
  local count = C.near_find_in_circle(W, x, y, math.huge, collision_layers.to_mask("world.nearest", mask), buffer, 1)
  return count > 0 and handle.handle(buffer[0]) or nil
end

---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param mask? shoal.Layers
---@return shoal.Entity[]
function M.box(x1, y1, x2, y2, mask)
  check_finite("world.box", "x1", x1)
  check_finite("world.box", "y1", y1)
  check_finite("world.box", "x2", x2)
  check_finite("world.box", "y2", y2)
  mask = collision_layers.to_mask("world.box", mask)
  return collect_entities(function(out, max_count)
    return C.near_find_in_box(W, x1, y1, x2, y2, mask, out, max_count)
  end)
end

---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param mask? shoal.Layers
---@param tiles? boolean true: solid tiles also stop the ray; the entity returned is then their tilemap
---@return shoal.Entity? entity the first one that the ray enters
---@return number? x of the entry point
---@return number? y
---@return number? nx of the outward surface normal at the entry point
---@return number? ny
function M.ray(x1, y1, x2, y2, mask, tiles)
  check_finite("world.ray", "x1", x1)
  check_finite("world.ray", "y1", y1)
  check_finite("world.ray", "x2", x2)
  check_finite("world.ray", "y2", y2)
  if tiles ~= nil and type(tiles) ~= "boolean" then
    report.raise("world.ray: the last argument (whether solid tiles stop the ray) must be a boolean, got %s",
      report.describe(tiles))
  end
  local found = C.near_cast_ray(W, x1, y1, x2, y2, collision_layers.to_mask("world.ray", mask), HIT)
  local hit = HIT[0]
  if tiles then -- the tile ray ends at the body that was hit
    found = C.tile_ray_cast(W, x1, y1, found and hit.x or x2, found and hit.y or y2, HIT) or found
  end
  if not found then
    return nil
  end
  return handle.handle(hit.entity), hit.x, hit.y, hit.nx, hit.ny
end

return M
