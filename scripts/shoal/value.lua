-- Values that scripts give to fields ({ x = 10, colour = "#ff8800", parent = e }) on their way to columns. A target is any
-- { label, fields } (component.lua, event.lua); fields are visited in the order of the schema, so that texts get their ids
-- in the same order in every process.
local need = ...
local abi, handle, text, report = need("abi"), need("handle"), need("text"), need("report")
local ffi = abi.ffi

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

-- --- many values at once: code of its own for each target, without loops and closures, so that it can be part of a compiled loop

-- A component with a single field takes a bare value.
local function as_table(target, values)
  if type(values) == "table" then
    return values
  elseif #target.writable == 1 and target.writable[1].field then
    return { [target.writable[1].field.name] = values }
  end
  report.complain("%s takes a table of fields, not %s", target.label, type(values))
end

local function complain_unknown(target, values)
  for name in pairs(values) do
    local known = target.by_name[name] or target.vectors[name]
    if not known or known.hidden then
      report.complain("%s has no field %s: there are %s", target.label, report.plain(name), M.field_names(target))
    end
  end
end

local function complain_read_only(target, field)
  report.complain("%s.%s is kept by the host and cannot be written", target.label, field.name)
end

local MOST = 256
M.columns, M.numbers = ffi.new("uint32_t[?]", MOST), ffi.new("double[?]", MOST)

-- What must hold before anything is written; → the values as a table. Names that mean nothing show when more are there than were
-- found: after as many steps of `next` as were found there is none left.
local CHECK = {
  head = "local function check(given)\nlocal values, seen, v = given, 0, nil\n"
    .. "if type(values) ~= 'table' then values = as_table(target, values) end\n",
  number = "v = values[$NAME]\nif v ~= nil then seen = seen + 1 if type(v) ~= 'number' then encode(target, fields[$AT], v, true) end end\n",
  other = "v = values[$NAME]\nif v ~= nil then seen = seen + 1 encode(target, fields[$AT], v, true) end\n",
  read_only = "v = values[$NAME]\nif v ~= nil then complain_read_only(target, fields[$AT]) end\n",
  vector = "v = values[$NAME]\nif v ~= nil then seen = seen + 1\n$PARTSend\n",
  part = "vector_part(target, $NAME, v, $AT)\n",
  step = "if seen >= $AT then key = next(values, key) end\n",
  tail = "if key ~= nil then complain_unknown(target, values) end\nreturn values\nend\n",
}

local PACK = {
  head = "local function pack(given)\nlocal values, n, v, part = check(given), 0, nil, nil\n",
  number = "v = values[$NAME]\nif v ~= nil then columns[n], numbers[n], n = $COLUMN, v, n + 1 end\n",
  other = "v = values[$NAME]\nif v ~= nil then columns[n], numbers[n], n = $COLUMN, encode(target, fields[$AT], v), n + 1 end\n",
  vector = "v = values[$NAME]\nif v ~= nil then\n$PARTSend\n",
  part = "part = vector_part(target, $NAME, v, $AT)\nif part then columns[n], numbers[n], n = $COLUMN, part, n + 1 end\n",
  tail = "return n\nend\n",
}

local function fill_in(template, values)
  return (template:gsub("%$(%u+)", values))
end

local function code_of(target, templates, fields)
  local out = { templates.head }
  for at, item in ipairs(target.writable) do
    local name = ("%q"):format(item.base or item.field.name)
    if item.field then
      fields[at] = item.field
      local kind = item.field.read_only and "read_only" or NUMBERS[item.field.type] and "number" or "other"
      out[#out + 1] = fill_in(templates[kind] or "", { NAME = name, AT = at, COLUMN = item.field.column })
    else
      local parts = {}
      for i, part in ipairs(item.parts) do
        parts[i] = fill_in(templates.part, { NAME = name, AT = i, COLUMN = part.column })
      end
      out[#out + 1] = fill_in(templates.vector, { NAME = name, PARTS = table.concat(parts) })
    end
  end
  if templates.step then
    out[#out + 1] = "local key = next(values)\n"
    for at = 1, #target.writable do
      out[#out + 1] = fill_in(templates.step, { AT = at })
    end
  end
  out[#out + 1] = templates.tail
  return table.concat(out)
end

local function generate(target)
  local fields = {}
  local code = "local target, fields, columns, numbers, encode, vector_part, as_table, complain_unknown, complain_read_only = ...\n"
    .. "local type, next = type, next\n" .. code_of(target, CHECK, fields) .. code_of(target, PACK, fields) .. "return check, pack"
  target.check, target.pack = assert(loadstring(code, "@[shoal]/value.lua"))(target, fields, M.columns, M.numbers, M.encode,
    vector_part, as_table, complain_unknown, complain_read_only)
end

-- Are these values good for that target? Changes nothing, not even the table of texts.
function M.check(target, values)
  if not target.check then
    generate(target)
  end
  target.check(values)
end

-- → n: M.columns and M.numbers hold, from 0 to n - 1, what is to be written where. They are anybody's again with the next call.
function M.pack(target, values)
  if not target.pack then
    generate(target)
  end
  local n = target.pack(values)
  return n
end

-- Calls put(column, number) for every field that `values` names. With put nil it only checks.
function M.each(target, values, put)
  if not put then
    return M.check(target, values)
  end
  local list = {}
  for i = 0, M.pack(target, values) - 1 do
    list[i + 1] = { M.columns[i], M.numbers[i] }
  end
  for _, item in ipairs(list) do
    put(item[1], item[2])
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
