-- Conversion of numbers between Lua and columns (design/0016), and code generation for the accessors of
-- schema/column.lua and schema/component.lua.
--
-- Stores to integers truncate towards zero and clamp to the field's range; NaN becomes 0. LuaJIT narrows conversions
-- through + and - (it converts the operands instead of the result), so compiled code would truncate the operands of a
-- sum, not the sum; math.min prevents this truncation.
--
-- LuaJIT interprets a NaN whose bits differ from its own NaN as a table, a string or nil. Lua's arithmetic creates only
-- valid NaNs, but a plugin may write any bits; in games with plugins, every read of an f32 or f64 therefore checks the
-- bits first.
local need, native = ...
local abi = need("base/abi")
local log = need("base/log")
local report = need("base/report")
local state = need("base/vm_state")

---@class engine.Range
---@field low number the lowest value that the field can store; -inf if no minimum is declared
---@field high number the highest value that the field can store; inf if no maximum is declared
---@field min number the declared minimum; for an f32 field, `low` is this number rounded to f32
---@field max number
---@field default number stored for NaN
---@field component? integer id of the component, for fields of components
---@field column? integer the field's number
---@field is_noted? boolean true if the line of each change is recorded, for a check when the system ends

---@class engine.number
---@field RANGES table<string, number[]>
---@field refuses_nan boolean? true while a declaration is checked: M.replace_nan then raises an error
local M = {}

-- Ranges of integers by field type: { minimum, maximum }.
local RANGES = {
  i8 = { -128, 127 }, i16 = { -32768, 32767 }, i32 = { -2147483648, 2147483647 },
  u8 = { 0, 255 }, u16 = { 0, 65535 }, u32 = { 0, 4294967295 },
}
M.RANGES = RANGES

-- Calculated at run time: where LuaJIT stores integral numbers as integers (arm64: design/0020), the constant -0
-- becomes 0.
local tiny = 1e-300
local NEGATIVE_ZERO = -tiny * tiny

-- Returns -v, and -0 for zeros of either sign, so that a stored result has the same bits on every processor.
---@param v number
---@return number
function M.negate(v)
  return v == 0 and NEGATIVE_ZERO or -v
end

-- --- warnings for developers

-- After this many lookups of source lines without a new warning, no more lines are looked up for a field: its warnings
-- stop.
local MAX_LOOKUPS = 64
local reported, lookups = {}, {}

-- A function that returns the location of the declaration whose values are being checked, such as an assemblage; used
-- in warnings. nil while no declaration is checked.
---@type (fun(): string)?
M.get_location = nil

local function format_script_location()
  if M.get_location then
    return M.get_location()
  end
  for level = 3, 40 do
    local frame = debug.getinfo(level, "Sl")
    if not frame then
      break
    elseif frame.source:find("^@") and not frame.source:find("^@%[shoal%]") and frame.currentline > 0 then
      return frame.source:sub(2) .. ":" .. frame.currentline
    end
  end
  return "a script"
end

local RANGE_STORED, RANGE_OF_TYPE = 1, 2 -- equal to RANGE_STORED and RANGE_OF_TYPE in schema/schema.h
local buffer = abi.ffi.new("char[512]") -- size: RANGE_TEXT_BYTES in schema/schema.h

-- Describes a value outside a range. `is_stored`: the text includes `stored`, the value that was stored instead.
local function describe_out_of_range(is_stored, label, value, low, high, stored, flags)
  return abi.ffi.string(abi.C.range_describe_problem(label, low, high, value, stored,
    flags + (is_stored and RANGE_STORED or 0), buffer))
end

-- Describes a value that an integer field cannot store.
local function describe_integer(is_stored, label, value, low, high)
  local stored = value ~= value and 0 or value < low and low or high
  return describe_out_of_range(is_stored, label, value, low, high, stored, RANGE_OF_TYPE)
end

-- Warns that a value is out of range, or raises an error if native.strict is set. `describe_value(is_stored, label,
-- value, a, b)` returns the message; it gets arguments instead of being a closure, because LuaJIT does not compile code
-- that creates closures.
local function warn_with(known_location, describe_value, label, value, a, b)
  if native.strict then
    report.raise("%s%s", known_location and known_location .. ": " or "", describe_value(false, label, value, a, b))
  elseif (lookups[label] or 0) == MAX_LOOKUPS then
    return
  end
  lookups[label] = (lookups[label] or 0) + 1
  local location = known_location or format_script_location()
  if not reported[location .. label] then
    reported[location .. label], lookups[label] = true, 0
    log.warn("%s: %s (reported once)", location, describe_value(true, label, value, a, b))
  end
end

-- Raises the error for a value that is not a number.
---@param value any
---@param label string
function M.raise_not_a_number(value, label)
  report.raise("%s must be a number, got %s", label, report.describe(value))
end

-- Returns a value clamped to an integer field's range (0 for NaN), but not truncated. Stores call it only for values
-- that may not fit. Warns if the truncated value is out of range, or raises an error if native.strict is set. Always
-- raises an error for a value that is not a number.
---@param value any
---@param low number
---@param high number
---@param label string
---@return number
function M.clamp_integer(value, low, high, label)
  if type(value) ~= "number" then
    M.raise_not_a_number(value, label)
  end
  if not (value > low - 1 and value < high + 1) then
    warn_with(nil, describe_integer, label, value, low, high)
  end
  return value < low and low or value > high and high or value == value and value or 0
end

-- --- declared ranges

local function describe_out_of_declared_range(is_stored, label, value, range, stored)
  return describe_out_of_range(is_stored, label, value, range.low == -math.huge and range.low or range.min,
    range.high == math.huge and range.high or range.max, stored, 0)
end

-- Returns the nearest value in the range, or the default for NaN.
local function clamp_value(value, range)
  return value ~= value and range.default or math.min(math.max(value, range.low), range.high)
end

-- Returns the value that a field with a range stores: the nearest value in the range, or the default for NaN. Reports
-- NaN and, while a declaration is checked, each value out of range. `is_integer`: fractions are truncated before the
-- comparison. Raises an error for a value that is not a number.
---@param value any
---@param range engine.Range
---@param label string
---@param is_integer boolean
---@return number
function M.check_range(value, range, label, is_integer)
  if type(value) ~= "number" then
    M.raise_not_a_number(value, label)
  end
  local truncated = is_integer and value == value and (value < 0 and math.ceil(value) or math.floor(value)) or value
  if truncated >= range.low and truncated <= range.high then
    return value
  end
  local stored = clamp_value(value, range)
  if value ~= value or M.get_location then
    warn_with(nil, describe_out_of_declared_range, label, value, range, stored)
  end
  return stored
end

-- Like M.check_range; also counts the value if it is clamped. Used where C does not store the value.
---@param value any
---@param range engine.Range
---@param label string
---@param is_integer boolean
---@return number
function M.clamp_to_range(value, range, label, is_integer)
  local stored = M.check_range(value, range, label, is_integer)
  if range.component and value == value and stored ~= value then
    abi.C.world_count_clamped(abi.world, range.component, range.column)
  end
  return stored
end

-- Returns the problem with a number for a field with a range; nil if the number is valid. Used for values that C clamps
-- when it reads them.
---@param value number
---@param range engine.Range
---@param label string
---@return string?
function M.describe_range_problem(value, range, label)
  if not (value >= range.low and value <= range.high) then
    return describe_out_of_declared_range(not native.strict, label, value, range, clamp_value(value, range))
  end
end

local MAX_ANGLE = 2 * math.pi * 1.001 -- the tolerance accepts 2 * math.pi as an f32 and as 6.2832

-- Returns the problem with a constant for a field whose unit is "rad", or nil if the constant is valid. An angle beyond
-- a full turn is probably in degrees.
---@param label string
---@param value number
---@return string?
function M.find_angle_problem(label, value)
  if value > MAX_ANGLE or value < -MAX_ANGLE then
    return ("%s is in radians, got %s, which is more than a full turn: write math.rad(%s) for degrees"):format(label,
      report.show(value), report.show(value))
  end
end

-- Returns code that clamps the local `name` to a declared range. It requires the locals `limited` and `range`; the
-- caller defines `range` for each field.
---@param field { range?: engine.Range, type: string }
---@param name string
---@param range string an expression for the field's range
---@param label string an expression for the field's name
---@return string code "" for a field without a range
function M.generate_range_check(field, name, range, label)
  return field.range and string.format("if not (type(%s) == 'number' and %s >= %s.low and %s <= %s.high) then "
    .. "%s = limited(%s, %s, %s, %s) end\n", name, name, range, name, range, name, name, range, label,
    tostring(RANGES[field.type] ~= nil)) or ""
end

local locations = {} -- number of NaN writes whose source line was looked up, by label

-- Records that a script wrote an out-of-range value or NaN to a column. When the system ends, the column is clamped,
-- and NaN is reported with the line that wrote it.
---@param range engine.Range
---@param column integer
---@param row integer
---@param label string
---@param value number
function M.record_write(range, column, row, label, value)
  abi.C.world_mark_written(abi.world, range.component, 2 ^ column)
  if value ~= value and (locations[label] or 0) < MAX_LOOKUPS then
    locations[label] = (locations[label] or 0) + 1
    abi.C.world_record_write(abi.world, range.component, column, row, format_script_location(), 0)
  end
end

-- Records the line that writes a column. Used for the few columns whose values are checked together when the system
-- ends.
---@param range engine.Range
---@param column integer
---@param row integer
function M.record_location(range, column, row)
  abi.C.world_mark_written(abi.world, range.component, 2 ^ column)
  abi.C.world_record_write(abi.world, range.component, column, row, format_script_location(), 0)
end

-- Records a warning about NaN by its `text`, "file:line: field". Returns false if the same text was recorded before:
-- the warning must then not be logged. Set by compile/compile.lua to a function that also knows the warnings of
-- compiled code.
---@type fun(text: string): boolean
M.record_nan = function() return true end

local FIX = "check for a division by zero"

-- Warns about a NaN that a script stores in a field that rejects it, or raises an error if native.strict is set or a
-- declaration is checked. Returns the value that is stored instead.
---@param label string
---@param default number
---@return number
function M.replace_nan(label, default)
  if native.strict or M.refuses_nan then
    report.raise("%s must be a number, got nan: %s", label, FIX)
  elseif (lookups[label] or 0) == MAX_LOOKUPS then
    return default
  end
  lookups[label] = (lookups[label] or 0) + 1
  local location = format_script_location()
  if M.record_nan(location .. ": " .. label) then
    lookups[label] = 0
    log.warn("%s: %s must be a number, got nan; stored %s: %s (reported once)", location, label, report.show(default),
      FIX)
  end
  return default
end

-- Returns code to precede a store of the local `name`: it replaces NaN with the default if the field rejects it. The
-- code requires the local `replace_nan`.
---@param field engine.Shown|engine.Field
---@param name string
---@param label string an expression for the field's name
---@return string code
function M.generate_nan_check(field, name, label)
  return field.nan_default and ("if type(%s) == 'number' and %s ~= %s then %s = replace_nan(%s, %.17g) end "):format(
    name, name, name, name, label, field.nan_default) or ""
end

-- Warns about a value that compiled code has clamped. `location`: "file:line".
---@param value number
---@param low number
---@param high number
---@param label string
---@param location string
function M.warn_clamped(value, low, high, label, location)
  warn_with(location, describe_integer, label, value, low, high)
end

-- --- code generation

-- Returns the code of the condition under which the local `name` needs no clamping. Constants stay within 32 bits where
-- possible.
local function generate_fit_condition(kind, name)
  local low, high = RANGES[kind][1], RANGES[kind][2]
  return string.format("type(%s) == 'number' and %s %s %d and %s <= %d", name, name, low == -2147483648 and ">=" or ">",
    low == -2147483648 and low or low - 1, name, high)
end

-- Returns a statement that stores `value` at `target`, for numeric fields. It requires the locals `min` (math.min),
-- `clamped` and `refused`. `label`: an expression for the field's name. Values that are not numbers are errors: LuaJIT
-- would convert a 64-bit integer to an f32 differently in interpreted and in compiled code, and would convert strings
-- only in interpreted code.
---@param kind string a field's type
---@param target string
---@param label string
---@return string code
function M.store(kind, target, label)
  local range = RANGES[kind]
  if not range then
    return ("if type(value) == 'number' then %s = value else refused(value, %s) end"):format(target, label)
  end
  return ("if %s then %s = min(value, %d) else %s = clamped(value, %d, %d, %s) end"):format(
    generate_fit_condition(kind, "value"), target, range[2], target, range[1], range[2], label)
end

-- Returns a statement that clamps the local `v`, which C then stores.
---@param kind string a field's type
---@param label string
---@return string code "" for a type that holds every number
function M.clamp(kind, label)
  local range = RANGES[kind]
  return range and string.format("if not (%s) then v = clamped(v, %d, %d, %s) end", generate_fit_condition(kind, "v"),
    range[1], range[2], label) or ""
end

-- Does the same as the code that M.clamp generates. Returns the clamped number.
---@param kind string a field's type
---@param v number
---@param label string
---@return number
function M.clamp_to_type(kind, v, label)
  local range = RANGES[kind]
  local low = range and (range[1] == -2147483648 and range[1] or range[1] - 1)
  if range and not ((v > low or v == range[1]) and v <= range[2]) then
    return M.clamp_integer(v, range[1], range[2], label)
  end
  return v
end

M.min = math.min

-- Returns true if plugins may write columns, so that reads must check for invalid NaN. Called when accessors and native
-- loops are generated.
---@return boolean
function M.may_plugins_write()
  return state.has_plugins
end

-- Templates of expressions that read element `index` of `data` and check for invalid NaN; `bits` is the same memory as
-- int32_t. They require the locals `band`, `read_f32` and `read_f64`.
local READ = {
  f32 = "(band(%s[%s], 0x7fffffff) > 0x7f800000 and read_f32(%s + %s) or %s[%s])",
  f64 = "(band(%s[2 * (%s) + 1], 0x7fffffff) >= 0x7ff00000 and read_f64(%s + %s) or %s[%s])",
}
-- Returns an expression that reads element `index` of a numeric column.
---@param kind string a field's type
---@param data string
---@param bits string
---@param index string
---@return string code
function M.read(kind, data, bits, index)
  local code = M.may_plugins_write() and READ[kind]
  return code and code:format(bits, index, data, index, data, index) or ("%s[%s]"):format(data, index)
end

return M
