-- Generates code that checks and stores the values of table literals whose keys are known at load time (literal.lua),
-- for world.spawn and world.emit. The code has no loop, does not search for unknown keys, and reads only known keys, so
-- LuaJIT eliminates the table. Vectors, asset names, and invalid, out-of-range or nil values fall back to the general
-- path (schema/value.lua), which also contains the error messages.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local text = need("base/string_table")
local number = need("math/number")
local enum = need("schema/enum")

---@class engine.writer
local M = {}

local RANGES = number.RANGES

-- Code by field type: the conversion of a value, the condition that the result must satisfy, and the number to store.
local KINDS = {
  f32 = { "$V", "type($V) == 'number'", "$V" },
  f64 = { "$V", "type($V) == 'number'", "$V" },
  bool = { "$V", "type($V) == 'boolean'", "($V and 1 or 0)" },
  entity = { "get_id($V)", "$V", "$V" },
  string = { "$V", "type($V) == 'string'", "intern($V)" },
  enum = { "choices$AT[$V]", "$V", "$V" },
}

-- Returns the code of a condition that a number is in the field's declared range, or "" if the field has no range.
local function generate_range_condition(field)
  local range, code = field.range, ""
  if range and range.low > -math.huge then
    code = (" and $V >= %.17g"):format(range.low)
  end
  if range and range.high < math.huge then
    code = code .. (" and $V <= %.17g"):format(range.high)
  end
  return code
end

local function get_conversion(field)
  local range = RANGES[field.type]
  if field.nan_default and KINDS[field.type] then
    return { "$V", "type($V) == 'number' and $V == $V", "$V" }
  end
  if field.range and not range then
    local code = "type($V) == 'number' and $V == $V" .. generate_range_condition(field)
    return { "$V", code, "$V" }
  end
  if range then
    local condition = ("type($V) == 'number' and $V >= %d and $V <= %d"):format(
      math.max(range[1], field.min_valid or range[1]), range[2])
    return { "$V", condition .. generate_range_condition(field),
      ("min($V, %d)"):format(range[2]) } -- min prevents narrowing (math/number.lua)
  end
  return not field.min_valid and not field.names and KINDS[field.type] or nil
end

local function quote_key(key)
  return type(key) == "string" and ("%q"):format(key) or tostring(key)
end

-- Generates code for the fields of a shape (the list of keys of a literal), in schema order, so that strings get their
-- ids in that order. Returns nil if a field is unknown or unsupported.
---@param target engine.Target
---@param requested_fields { name: string, at: string|integer }[] the fields, and the key of each field in `values`
---@param first_number integer number of the first value
---@return { locals: string[], checks: string[], values: string[], fields: engine.Field[], choices: table }?
function M.list_fields(target, requested_fields, first_number)
  local out = { locals = {}, checks = {}, values = {}, fields = {}, choices = {} }
  local keys, count = {}, 0
  for _, item in ipairs(requested_fields) do
    keys[item.name] = item.at
  end
  for _, item in ipairs(target.writable) do
    local field = item.field
    if field and keys[field.name] then
      local kind = not field.read_only and not field.hidden and get_conversion(field)
      if not kind then
        return nil
      end
      local value_number = first_number + count
      count = count + 1
      local function fill_template(code, v)
        return (code:gsub("%$(%u+)", { V = v or "v" .. value_number, AT = value_number }))
      end
      out.locals[count] = ("local v%d = %s"):format(value_number,
        fill_template(kind[1], "values[" .. quote_key(keys[field.name])
        .. "]"))
      out.checks[count], out.values[count], out.fields[count] = fill_template(kind[2]), fill_template(kind[3]), field
      if field.type == "enum" then
        out.choices[value_number] = enum.get_numbers(field.choices)
      end
    end
  end
  return count == #requested_fields and out or nil
end

local function generate_choice_locals(choices)
  local code = {}
  for at in pairs(choices) do
    code[#code + 1] = ("local choices%d = choices[%d]\n"):format(at, at)
  end
  table.sort(code)
  return table.concat(code)
end

-- Compiles code that may use the locals that `fields` generates, and the names in `support`.
---@param name string file name for messages
---@param code string
---@param choices table
---@param support table<string, any>
---@return function
function M.compile(name, code, choices, support)
  local names, values = { "type", "min", "get_id", "intern", "choices" },
    { type, math.min, handle.get_id, text.intern, choices }
  for key, v in pairs(support) do
    names[#names + 1] = key
    values[#names] = v
  end
  local head = ("local %s = ...\n"):format(table.concat(names, ", "))
  local chunk = assert(loadstring(head .. generate_choice_locals(choices) .. code, "@[shoal]/" .. name))
  return chunk(unpack(values, 1, #names))
end

M.ELEMENT = {}
for i, name in ipairs(abi.type_names) do
  M.ELEMENT[name] = abi.element[i]
end

return M
