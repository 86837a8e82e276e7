-- world.near, near_count, nearest, nearest_many, box and ray: spatial queries for bodies (collision/near_queries.h).
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local report = need("base/report")
local collision_layers = need("schema/collision_layers")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.near
local M = {}
local HIT = ffi.new("near_hit_t[1]")
local ALL_BITS, MAX_NEAREST = 2 ^ 32 - 1, 65536
local buffer, capacity = ffi.new("shoal_entity[64]"), 64

local function check_finite(caller, label, v)
  if type(v) ~= "number" or v ~= v or v - v ~= 0 then
    report.raise("%s: %s must be a finite number, got %s", caller, label, report.describe(v))
  end
end

local function check_circle(caller, x, y, radius)
  check_finite(caller, "x", x)
  check_finite(caller, "y", y)
  check_finite(caller, "the radius", radius)
  return radius > 0 and radius or 0
end

local function to_mask(caller, mask)
  return mask == nil and ALL_BITS or collision_layers.to_mask(caller, mask)
end

local function reserve(count)
  if count > capacity then
    capacity = count * 2
    buffer = ffi.new("shoal_entity[?]", capacity)
    return true
  end
  return false
end

require("jit").off(reserve)

-- Copies the first `count` entities of the buffer to `list`, or to a new table if `list` is nil, and removes all later
-- elements of `list`. A new table has space for a typical number of results, because growing it takes longer than the
-- search.
local function copy_results(caller, count, list)
  if list == nil then
    list = { nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }
  elseif type(list) ~= "table" then
    report.raise("%s: the list to fill must be a table, got %s", caller, report.describe(list))
  end
  for i = 1, count do
    list[i] = handle.handle(buffer[i - 1])
  end
  for i = #list, count + 1, -1 do
    list[i] = nil
  end
  return list
end

---@param x number
---@param y number
---@param radius number
---@param mask? shoal.Layers categories of the bodies to find; nil: all bodies
---@param list? shoal.Entity[] table to fill instead of a new one
---@return shoal.Entity[]
function M.near(x, y, radius, mask, list)
  radius, mask = check_circle("world.near", x, y, radius), to_mask("world.near", mask)
  local count = C.near_find_in_circle(W, x, y, radius, mask, buffer, capacity)
  if count > capacity and reserve(count) then
    C.near_find_in_circle(W, x, y, radius, mask, buffer, capacity)
  end
  return copy_results("world.near", count, list)
end

---@param x number
---@param y number
---@param radius number
---@param mask? shoal.Layers
---@return integer
function M.near_count(x, y, radius, mask)
  radius, mask = check_circle("world.near_count", x, y, radius), to_mask("world.near_count", mask)
  local count = C.near_count_in_circle(W, x, y, radius, mask)
  return count
end

---@param x number
---@param y number
---@param mask? shoal.Layers
---@return shoal.Entity?
function M.nearest(x, y, mask)
  check_finite("world.nearest", "x", x)
  check_finite("world.nearest", "y", y)
  local count = C.near_find_nearest(W, x, y, 1, to_mask("world.nearest", mask), buffer)
  return count > 0 and handle.handle(buffer[0]) or nil
end

---@param x number
---@param y number
---@param k integer
---@param mask? shoal.Layers
---@param list? shoal.Entity[] table to fill instead of a new one
---@return shoal.Entity[]
function M.nearest_many(x, y, k, mask, list)
  check_finite("world.nearest_many", "x", x)
  check_finite("world.nearest_many", "y", y)
  if type(k) ~= "number" or not (k >= 0 and k <= MAX_NEAREST) or k % 1 ~= 0 then
    report.raise("world.nearest_many: k must be an integer from 0 to %d, got %s", MAX_NEAREST, report.describe(k))
  end
  mask = to_mask("world.nearest_many", mask)
  reserve(k)
  return copy_results("world.nearest_many", C.near_find_nearest(W, x, y, k, mask, buffer), list)
end

---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param mask? shoal.Layers
---@param list? shoal.Entity[] table to fill instead of a new one
---@return shoal.Entity[]
function M.box(x1, y1, x2, y2, mask, list)
  check_finite("world.box", "x1", x1)
  check_finite("world.box", "y1", y1)
  check_finite("world.box", "x2", x2)
  check_finite("world.box", "y2", y2)
  mask = to_mask("world.box", mask)
  local count = C.near_find_in_box(W, x1, y1, x2, y2, mask, buffer, capacity)
  if count > capacity and reserve(count) then
    C.near_find_in_box(W, x1, y1, x2, y2, mask, buffer, capacity)
  end
  return copy_results("world.box", count, list)
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
  local has_hit = C.near_cast_ray(W, x1, y1, x2, y2, to_mask("world.ray", mask), HIT)
  local hit = HIT[0]
  if tiles then -- the tile ray ends at the body that was hit
    has_hit = C.tile_ray_cast(W, x1, y1, has_hit and hit.x or x2, has_hit and hit.y or y2, HIT) or has_hit
  end
  if not has_hit then
    return nil
  end
  return handle.handle(hit.entity), hit.x, hit.y, hit.nx, hit.ny
end

return M
