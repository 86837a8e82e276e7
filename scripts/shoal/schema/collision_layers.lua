-- Names of collision layers: `layers` in game.lua and in the addon.lua of each add-on. A game and its add-ons can have
-- at most 32 names in total. The first name has bit 0 (value 1), the second one bit 1, and so on. Categories and masks
-- accept a name, a list of names, "all" or a number.
local need = ...
local bit = require("bit")
local abi = need("base/abi")
local report = need("base/report")
local scope = need("base/scope")

---@class engine.layers
---@field bits table<string, integer> layer name → integer with only the layer's bit set
local M = { bits = {} }
scope.register("layer", M, "bits")
local MAX_LAYERS, ALL_BITS = 32, 2 ^ 32 - 1
local declared = {} ---@type string[] all names, in the order of their bits

-- Adds the layers of the game or an add-on. Returns a message if the names are invalid, otherwise nil.
---@param names any[]
---@return string? problem
function M.add(names)
  local count = 0
  for key, name in pairs(names) do
    count = count + 1
    if type(key) ~= "number" or type(name) ~= "string" or name == "" then
      return string.format("layers must be a list of names, got %s = %s: use layers = { \"hero\", \"foe\" }",
        report.show(key), report.describe(name))
    elseif name == "all" then
      return "layers: \"all\" is reserved for all layers: choose a different name"
    elseif name:find("[%c\"\\,]") then
      return string.format("layers: %s must not contain commas, quotes or backslashes", report.show(name))
    elseif M.bits[name] then
      return string.format("layers contains %s twice: remove one of them", report.show(name))
    elseif #declared + key > MAX_LAYERS then
      return string.format("too many layers (at most %d%s): remove some of them", MAX_LAYERS,
        #declared > 0 and ", including the layers of add-ons" or "")
    end
    M.bits[name] = 2 ^ (#declared + key - 1)
  end
  if count ~= #names then
    return "layers must be a list without gaps: layers = { \"hero\", \"foe\" }"
  end
  for _, name in ipairs(names) do
    declared[#declared + 1] = name
  end
end

-- Declares all added layers in the world.
function M.declare()
  abi.C.world_set_layers(abi.world, table.concat(declared, "\0"), #declared)
end

-- Returns the bits of a name or of "all"; nil if the name is unknown.
---@param name string
---@return integer?
function M.find(name)
  return name == "all" and ALL_BITS or M.bits[name]
end

local function get_bit(label, name)
  if type(name) ~= "string" then
    report.raise("%s must be a layer's name, a list of names, \"all\" or a number, got %s", label,
      report.describe(name))
  end
  return M.find(name) or report.raise("%s: unknown layer %s%s", label, report.show(name),
    next(M.bits) and report.hint(name, M.bits) or ": declare it in game.lua: layers = { \"" .. report.show(name)
      .. "\" }")
end

-- Converts layer names to the number in which their bits are set. Returns numbers unchanged.
---@param label string for messages: "body.mask"
---@param v any a name, a list of names, "all" or a number
---@return number
function M.to_bits(label, v)
  if type(v) == "number" then
    return v
  elseif type(v) ~= "table" then
    return get_bit(label, v)
  end
  local sum = 0
  for i = 1, #v do
    sum = bit.bor(sum, bit.tobit(get_bit(label, rawget(v, i))))
  end
  return sum % 2 ^ 32
end

-- Returns the bits in Lua notation, for messages: "foe" in quotes, { "hero", "foe" }, or the number if a bit has no
-- name.
---@param bits integer
---@return string
function M.format(bits)
  local names, rest = {}, bits
  for name, value in pairs(M.bits) do
    if bit.band(bits, value) ~= 0 then
      names[#names + 1], rest = name, rest - value
    end
  end
  table.sort(names, function(a, b) return M.bits[a] < M.bits[b] end)
  if bits == ALL_BITS then
    return "\"all\""
  elseif #names == 0 or rest ~= 0 then
    return string.format("%d", bits)
  end
  local list = "\"" .. table.concat(names, "\", \"") .. "\""
  return #names == 1 and list or "{ " .. list .. " }"
end

-- Checks the mask of a search: layer names, or a 32-bit integer. nil selects all bits.
---@param label string for messages: "world.near"
---@param mask? shoal.Layers
---@return number
function M.to_mask(label, mask)
  if mask == nil then
    return ALL_BITS
  elseif type(mask) ~= "number" and (mask == "all" or next(M.bits)) then
    return M.to_bits(label, mask)
  elseif type(mask) ~= "number" or not (mask >= 0 and mask <= ALL_BITS) or mask % 1 ~= 0 then
    report.raise("%s: the mask must be an integer from 0 to 4294967295 (category bits), got %s", label,
      report.describe(mask))
  end
  return mask
end

return M
