-- Values of emitters, emitter_forces and trails: presets, curves as lists, and checks that report the location of the
-- declaration. Values that bypass these checks, because a script or SQL writes them to a field, are clamped in C
-- (engine/world/particles).
local need = ...
local report = need("base/report")
local presets = need("schema/presets")

local M = {}

local MAX_KEYS, INFINITE = 8, math.huge

-- Limits of numeric fields: minimum, maximum, and the message if a number is out of range.
local LIMITS = {
  rate = { 0, 500000, "must be from 0 to 500000 particles per second" },
  burst = { 0, 500000, "must be from 0 to 500000 particles" },
  life = { 0.001, 600, "must be from 0.001 to 600 seconds" },
  every = { 0, 1e9, "must be from 0 to 1e9 seconds" },
  duration = { 0, 1e9, "must be from 0 (endless) to 1e9 seconds" },
  ahead = { 0, 1e9, "must be from 0 to 1e9 seconds" },
  life_vary = { 0, 1, "must be a fraction from 0 to 1" },
  speed_vary = { 0, 1, "must be a fraction from 0 to 1" },
  size_vary = { 0, 1, "must be a fraction from 0 to 1" },
  colour_vary = { 0, 1, "must be a fraction from 0 to 1" },
  soft = { 0, 1, "must be a fraction of the radius from 0 to 1" },
  stretch = { 0, 10, "must be from 0 to 10 seconds" },
  drag = { 0, 1000, "must be from 0 to 1000" },
  pull = { -100, 1000, "must be from -100 to 1000" },
  swirl = { -1000, 1000, "must be from -1000 to 1000 radians per second" },
  bounce = { 0, 1, "must be a fraction of the speed from 0 to 1" },
  slide = { 0, 1, "must be a fraction of the speed from 0 to 1" },
  seconds = { 0.02, 60, "must be from 0.02 to 60 seconds" },
}

local function format_number(x)
  local text = ("%.5f"):format(x):gsub("0+$", ""):gsub("%.$", "")
  return text == "-0" and "0" or text
end

local function is_number(v)
  return type(v) == "number" and v == v and v > -INFINITE and v < INFINITE
end

local function format_key(v)
  return is_number(v) and format_number(v) or nil
end

local function format_colour(v)
  if type(v) == "string" then
    return v
  elseif type(v) ~= "table" or not (is_number(v[1]) and is_number(v[2]) and is_number(v[3])) then
    return nil
  end
  local parts = { format_number(v[1]), format_number(v[2]), format_number(v[3]), format_key(v[4]) }
  return table.concat(parts, ",")
end

local LISTS = {
  sizes = { format_key, "a list of up to 8 numbers ({ 1, 0.5, 0 })" },
  speeds = { format_key, "a list of up to 8 numbers ({ 1, 0.5, 0 })" },
  widths = { format_key, "a list of up to 8 numbers ({ 1, 0.5, 0 })" },
  colours = { format_colour,
    "a list of up to 8 colours ({ \"#ffd040\", \"#ff400000\" } or { { 1.5, 0.5, 0, 1 }, … })" },
}

-- Returns true if the field with this name stores a curve, which scripts may assign as a list.
---@param name string
---@return boolean
function M.is_list(name)
  return LISTS[name] ~= nil
end

-- Converts a list to the string that its column stores: "1 0.5 0".
---@param name string name of a field that contains a curve
---@param v table the curve as a list, without metatables
---@param owner? string name of the component, for messages
---@return string
function M.format_text(name, v, owner)
  local format, parts = LISTS[name][1], {}
  for i = 1, #v do
    parts[i] = format(v[i])
    if not parts[i] or i > MAX_KEYS then
      report.raise("%s%s must be %s", owner and owner .. "." or "", name, LISTS[name][2])
    end
  end
  if next(v) ~= nil and #v == 0 then
    report.raise("%s%s must be %s", owner and owner .. "." or "", name, LISTS[name][2])
  end
  return table.concat(parts, " ")
end

local function is_hex(word)
  local digits = word:match("^#(%x+)$")
  return digits and (#digits == 3 or #digits == 4 or #digits == 6 or #digits == 8)
end

local function is_decimal(word)
  return word:match("^%-?%d+%.?%d*$") or word:match("^%-?%.%d+$")
end

local function is_colour(word)
  local count = 0
  if is_hex(word) then
    return true
  end
  for part in (word .. ","):gmatch("([^,]*),") do
    if not is_decimal(part) then
      return false
    end
    count = count + 1
  end
  return count == 3 or count == 4
end

local function check_text(name, v, owner)
  local is_valid, count = name == "colours" and is_colour or is_decimal, 0
  for word in v:gmatch("%S+") do
    count = count + 1
    if not is_valid(word) or count > MAX_KEYS then
      report.raise("%s.%s must be %s, got %s", owner, name, LISTS[name][2], report.describe(word))
    end
  end
end

local function check_number(name, v, owner)
  local limit = LIMITS[name]
  if v ~= v or v == INFINITE or v == -INFINITE then
    report.raise("%s.%s must be finite, got %s", owner, name, report.describe(v))
  elseif limit and (v < limit[1] or v > limit[2]) then
    report.raise("%s.%s %s, got %s", owner, name, limit[3], report.describe(v))
  end
end

local function check_values(values, owner)
  for name, v in next, values do
    if type(v) == "number" then
      check_number(name, v, owner)
    elseif LISTS[name] and type(v) == "string" then
      check_text(name, v, owner)
    elseif LISTS[name] and type(v) == "table" and getmetatable(v) == nil then
      check_text(name, M.format_text(name, v, owner), owner)
    end
  end
end

-- Checks the values. If they name a preset, returns a new table that merges `base`, the preset and `values`, where
-- later values take precedence; otherwise returns `values`.
local function apply_preset(values, owner, named_presets, base)
  if type(values) ~= "table" then
    return values
  end
  local name = rawget(values, "preset")
  check_values(values, owner)
  if name == nil then
    return values
  end
  local preset = named_presets[name]
  if not preset then
    report.raise("%s.preset: unknown preset %s%s", owner, report.show(name), report.hint(name, named_presets))
  end
  local out = {}
  for _, source in ipairs { base, preset, values } do
    for field, v in next, source do
      out[field] = v
    end
  end
  out.preset = nil
  return out
end

-- Checks the values of an emitter, and merges them with the values of the preset.
---@param values any
---@return any values
function M.prepare(values)
  return apply_preset(values, "emitter", presets.presets, presets.BASE)
end

-- Checks the values of emitter_forces, and merges them with the values of the preset. Raises an error if the walls are
-- an empty box.
---@param values any
---@return any values
function M.prepare_forces(values)
  local forces = apply_preset(values, "emitter_forces", presets.forces, presets.NO_FORCES)
  if type(forces) == "table" and rawget(forces, "walls") == "box" and not ((tonumber(rawget(forces, "right")) or 0)
    > (tonumber(rawget(forces, "left")) or 0) and (tonumber(rawget(forces, "bottom"))
      or 0) > (tonumber(rawget(forces, "top")) or 0))
  then
    report.raise("emitter_forces.walls: a box must have left < right and top < bottom: set left, top, right "
      .. "and bottom")
  end
  return forces
end

-- Checks the values of a trail and returns them unchanged.
---@param values any
---@return any values
function M.prepare_trail(values)
  if type(values) == "table" then
    check_values(values, "trail")
  end
  return values
end

return M
