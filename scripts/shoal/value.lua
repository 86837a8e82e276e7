-- Values that scripts give to fields ({ x = 10, colour = "#ff8800", parent = e }) on their way to columns. A target is any
-- { label, fields } (component.lua, event.lua); fields are visited in the order of the schema, so that texts get their ids
-- in the same order in every process.
local need = ...
local handle, text, report = need("handle"), need("text"), need("report")

local M = {}

local NUMBERS = { f32 = true, f64 = true, i8 = true, i16 = true, i32 = true, u8 = true, u16 = true, u32 = true }
local ALIAS = { "r", "g", "b", "a" }
local AXES = { "x", "y", "z", "w" }

local function wrong(target, name, expected, value)
  report.complain("%s.%s takes %s, not %s", target.label, name, expected, type(value) == "string" and ("%q"):format(value) or type(value))
end

-- A list of numbers, or of pairs of numbers, as the text that a polygon's `points` holds: "x,y x,y …".
local function points_text(list)
  local flat = {}
  for _, item in ipairs(list) do
    if type(item) == "table" then
      flat[#flat + 1], flat[#flat + 2] = item[1] or item.x, item[2] or item.y
    else
      flat[#flat + 1] = item
    end
  end
  local out = {}
  for i = 1, #flat - 1, 2 do
    out[#out + 1] = string.format("%.6g,%.6g", flat[i], flat[i + 1])
  end
  return table.concat(out, " ")
end

-- One value as the number that its column stores; `dry` only checks and leaves the world's string table alone.
function M.encode(target, field, value, dry)
  local kind = field.type
  if NUMBERS[kind] then
    if type(value) ~= "number" then
      wrong(target, field.name, "a number", value)
    end
    return value
  elseif kind == "bool" then
    if type(value) ~= "boolean" then
      wrong(target, field.name, "true or false", value)
    end
    return value and 1 or 0
  elseif kind == "string" or kind == "asset" then
    if type(value) == "table" and field.name == "points" then
      value = points_text(value)
    end
    if type(value) ~= "string" then
      wrong(target, field.name, "a text", value)
    end
    return dry and 0 or text.intern(value)
  elseif kind == "entity" then
    local id = handle.id(value)
    if not id then
      wrong(target, field.name, "an entity", value)
    end
    return id
  elseif kind == "enum" then
    for i, choice in ipairs(field.choices) do
      if choice == value then
        return i - 1
      end
    end
    wrong(target, field.name, "one of " .. table.concat(field.choices, ", "), value)
  end
  report.complain("%s.%s cannot be written", target.label, field.name)
end

local function hex_part(value, i)
  local digits = value:sub(2 * i, 2 * i + 1)
  return digits == "" and 1 or (tonumber(digits, 16) or 0) / 255
end

-- One part of what was given for a vector: a list, named axes, r g b a, or "#rrggbb[aa]".
local function vector_part(target, base, value, i)
  if type(value) == "string" and value:match("^#%x%x%x%x%x%x%x?%x?$") then
    return hex_part(value, i)
  elseif type(value) ~= "table" then
    wrong(target, base, "a list of numbers or a colour like \"#ff8800\"", value)
  end
  local part = value[i]
  if part == nil then
    part = value[AXES[i]]
  end
  if part == nil then
    part = value[ALIAS[i]]
  end
  if part ~= nil and type(part) ~= "number" then
    wrong(target, base .. "." .. AXES[i], "a number", part)
  end
  return part
end
M.vector_part = vector_part

-- base name → { field, field, … } of its parts, and name → field of the others.
function M.index(fields)
  local by_name, vectors, writable = {}, {}, {}
  for _, field in ipairs(fields) do
    local base = field.name:match("^(.-)%.%a$")
    if base then
      if not vectors[base] then
        vectors[base] = {}
        writable[#writable + 1] = { base = base, parts = vectors[base] }
      end
      table.insert(vectors[base], field)
    elseif not field.hidden then
      writable[#writable + 1] = { field = field }
    end
    by_name[field.name] = field
  end
  return by_name, vectors, writable
end

-- Calls put(column, number) for every field that `values` names. A component with a single field takes a bare value. With
-- put nil it only checks.
function M.each(target, values, put)
  if type(values) ~= "table" then
    if #target.writable == 1 and target.writable[1].field then
      values = { [target.writable[1].field.name] = values }
    else
      report.complain("%s takes a table of fields, not %s", target.label, type(values))
    end
  end
  local seen = 0
  for _, item in ipairs(target.writable) do
    if item.field then
      local value = values[item.field.name]
      if value ~= nil then
        seen = seen + 1
        if item.field.read_only then
          report.complain("%s.%s is kept by the host and cannot be written", target.label, item.field.name)
        end
        local number = M.encode(target, item.field, value, put == nil)
        if put then
          put(item.field.column, number)
        end
      end
    else
      local value = values[item.base]
      if value ~= nil then
        seen = seen + 1
        for i, part in ipairs(item.parts) do
          local number = vector_part(target, item.base, value, i)
          if number and put then
            put(part.column, number)
          end
        end
      end
    end
  end
  local given = 0
  for _ in pairs(values) do
    given = given + 1
  end
  if given > seen then
    for name in pairs(values) do
      local known = target.by_name[name] or target.vectors[name]
      if not known or known.hidden then
        report.complain("%s has no field %s: there are %s", target.label, report.plain(name), M.field_names(target))
      end
    end
  end
end

function M.field_names(target)
  local out = {}
  for _, item in ipairs(target.writable) do
    out[#out + 1] = item.base or item.field.name
  end
  return #out > 0 and table.concat(out, ", ") or "none (it is a tag)"
end

return M
