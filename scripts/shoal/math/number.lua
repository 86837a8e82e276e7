-- Numbers between Lua and memory (design/0016). Two rules, and the code of them for the accessors that column.lua and
-- schema/component.lua generate:
--
-- Stores into integers truncate toward zero and stay in the field's range; NaN gives 0. Compiled code would truncate
-- the operands of a sum and not the sum, since LuaJIT narrows conversions through + and -; it does not look through
-- math.min.
--
-- LuaJIT takes a NaN of other bits than its own for a table, a text or nil. Lua's own arithmetic makes only such ones
-- as it can read, but a plugin may write any: in a game with plugins every read of a fraction looks at the bits
-- first.
local need, native = ...
local log = need("base/log")
local report = need("base/report")
local state = need("base/state")

---@class engine.number
---@field RANGES table<string, number[]>
local M = {}

-- Field type → { least, most }.
local RANGES = {
  i8 = { -128, 127 }, i16 = { -32768, 32767 }, i32 = { -2147483648, 2147483647 },
  u8 = { 0, 255 }, u16 = { 0, 65535 }, u32 = { 0, 4294967295 },
}
M.RANGES = RANGES

-- Calculated, for a constant of it is 0 where LuaJIT keeps whole numbers as integers (arm64: design/0020).
local little = 1e-300
local NEGATIVE_ZERO = -little * little

-- -v, with the same bits on every processor: for what is stored.
---@param v number
---@return number
function M.negated(v)
  return v == 0 and NEGATIVE_ZERO or -v
end

-- --- what a developer hears of it

local MAX_LOOKS = 64 -- at lines that were reported already, for each field
local said, looks = {}, {}

local function place()
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

local MENDING = "clamp it before, or choose a wider type (shoal.types.i32, f32, f64)"

local function words(label, value, least, most, became)
  if value ~= value then
    return ("%s is a whole number and was given nan; it %s 0: a division by zero?"):format(label, became)
  end
  return ("%s takes %d to %d and was given %s; it %s %d: %s"):format(label, least, most, report.plain(value),
    became,
      value < least and least or most, MENDING)
end

local function tell(label, value, least, most, known)
  if native.strict then
    report.complain("%s%s", known and known .. ": " or "", words(label, value, least, most, "would become"))
  elseif (looks[label] or 0) == MAX_LOOKS then
    return
  end
  looks[label] = (looks[label] or 0) + 1
  local at = known or place()
  if not said[at .. label] then
    said[at .. label], looks[label] = true, 0
    log.warn("%s: %s (reported once)", at, words(label, value, least, most, "became"))
  end
end

-- What an integer keeps of a number that is out of its range: the slow end of every store.
---@param value any
---@param least number
---@param most number
---@param label string
---@return number
function M.clamped(value, least, most, label)
  if type(value) ~= "number" then
    report.complain("%s must be a number, got %s", label, type(value))
  end
  if not (value > least - 1 and value < most + 1) then
    tell(label, value, least, most)
  end
  return value < least and least or value > most and most or value == value and value or 0
end

-- What compiled code has clamped, at "file:line".
---@param value number
---@param least number
---@param most number
---@param label string
---@param at string
function M.tell_clamped(value, least, most, label, at)
  tell(label, value, least, most, at)
end

-- --- code

-- A condition for: this whole number needs no clamping. 32 bits are compared as far as constants stay of that size.
local function fits(kind)
  local least, most = RANGES[kind][1], RANGES[kind][2]
  return ("type(value) == 'number' and value %s %d and value <= %d"):format(least == -2147483648 and ">=" or ">",
    least == -2147483648 and least or least - 1, most)
end

-- The statement that stores `value` at `target`, for fields of numbers; it wants `min` (math.min) and `clamped` as
-- locals. `label` is code of the field's name.
---@param kind string a field's type
---@param target string
---@param label string
---@return string code
function M.store(kind, target, label)
  local range = RANGES[kind]
  if not range then
    return target .. " = value"
  end
  return ("if %s then %s = min(value, %d) else %s = clamped(value, %d, %d, %s) end"):format(fits(kind), target,
    range[2], target, range[1], range[2], label)
end

-- The same for a local `v` that C will store.
---@param kind string a field's type
---@param label string
---@return string code "" for a type that holds every number
function M.clamp(kind, label)
  local range = RANGES[kind]
  return range and ("if not (%s) then v = clamped(v, %d, %d, %s) end"):format(fits(kind):gsub("value", "v"), range[1],
    range[2], label) or ""
end

M.min = math.min

-- Has somebody else than Lua and the engine a hand in columns? Asked when accessors are generated.
---@return boolean
function M.is_foreign()
  return state.has_plugins
end

-- The expression that reads element `index` of `data`, where `bits` is the same memory as int32_t; it wants `band`,
-- `read_f32` and `read_f64` as locals.
local READ = {
  f32 = "(band(%s[%s], 0x7fffffff) > 0x7f800000 and read_f32(%s + %s) or %s[%s])",
  f64 = "(band(%s[2 * (%s) + 1], 0x7fffffff) >= 0x7ff00000 and read_f64(%s + %s) or %s[%s])",
}
---@param kind string a field's type
---@param data string
---@param bits string
---@param index string
---@return string code
function M.read(kind, data, bits, index)
  local code = M.is_foreign() and READ[kind]
  return code and code:format(bits, index, data, index, data, index) or ("%s[%s]"):format(data, index)
end

return M
