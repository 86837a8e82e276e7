-- Deterministic replacements for functions of math, bit, string and table whose results differ between LuaJIT's
-- interpreter, its compiled code, and processors (design/0016). Games get these replacements; all other functions are
-- LuaJIT's own.
--
-- LuaJIT's compiled code differs in two ways. Where the interpreter converts the result of + and - to an integer,
-- compiled code converts the operands (narrowing). Narrowing stops at math.min, so values to be converted are passed
-- through math.min. Compiled code may also swap the operands of math.max and math.min, which changes results for NaN
-- and for zeros of opposite signs.
local bit = require("bit")
local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local select, type, unpack = select, type, unpack

---@class engine.exact
---@field math table<string, function>
---@field bit table<string, function>
---@field string table<string, function>
---@field table table<string, function>
---@field base table<string, function>
local M = {}

-- Calls are put in parentheses to avoid tail calls: LuaJIT allows only a few tail calls in a trace. If the
-- local name differs from the public name, calls with invalid arguments are tail calls, so that LuaJIT's message uses
-- the public name.

-- --- math

-- Returns a if a > b, else b. A branch is cheaper than testing whether the processor's instruction would give the same
-- result, because the branch is usually well predicted.
---@param a number
---@param b number
---@return number
local function get_max(a, b)
  if a > b then
    return a
  end
  return b
end

-- Returns a if a < b, else b.
---@param a number
---@param b number
---@return number
local function get_min(a, b)
  if a < b then
    return a
  end
  return b
end

local function are_numbers(...)
  for i = 1, select("#", ...) do
    if tonumber((select(i, ...))) == nil then
      return false
    end
  end
  return true
end

-- Extends `f`, a function of two numbers, to any number of operands, which may be numeric strings. For any other
-- operand, `builtin` raises the error.
local function extend_to_any_count(f, builtin)
  return function(a, ...)
    if not are_numbers(a, ...) then
      return builtin(a, ...)
    end
    a = builtin(a)
    for i = 1, select("#", ...) do
      a = f(a, builtin((select(i, ...))))
    end
    return a
  end
end

-- Returns the replacement of math.max or math.min. It handles up to four numbers without a loop over the operands,
-- because LuaJIT rarely compiles such loops.
local function create_extreme(f, builtin)
  local of_many = extend_to_any_count(f, builtin)
  return function(a, b, ...)
    local more = select("#", ...)
    if type(a) == "number" and type(b) == "number" then
      local c, d = ...
      if more == 0 then
        return (f(a, b))
      elseif more <= 2 and type(c) == "number" and (more == 1 or type(d) == "number") then
        a = f(f(a, b), c)
        return more == 1 and a or (f(a, d))
      end
    elseif b == nil and more == 0 then
      return builtin(a)
    end
    return of_many(a, b, ...)
  end
end

-- Prepares an integer argument for a library function, which truncates it: clamps it to [-2^31, 2^31 - 1], maps NaN to
-- 0, and passes it through math.min so that LuaJIT does not narrow it. Values of other types are returned unchanged.
local function prepare_integer(v)
  if type(v) ~= "number" then
    return v
  elseif v >= -2147483648 and v <= 2147483647 then
    return (min(v, 2147483647))
  end
  return v ~= v and 0 or v < 0 and -2147483648 or 2147483647
end

M.get_max, M.get_min = get_max, get_min

M.math = {
  max = create_extreme(get_max, max),
  min = create_extreme(get_min, min),
  ceil = function(x)
    if type(x) == "number" then
      return -floor(-x)
    end
    return (ceil(x))
  end,
  ldexp = function(x, e)
    return (math.ldexp(x, prepare_integer(e)))
  end,
}

-- --- bit: modulo 2^32; fractions are rounded to nearest (ties to even); NaN and infinities become 0

local TWO_32, TWO_51 = 2 ^ 32, 2 ^ 51
-- Adding and subtracting this number rounds a number to an integer, because f64 values of this magnitude are integers.
-- A conversion to an integer would truncate on arm64.
local ROUND = 1.5 * 2 ^ 52

local function wrap_large_word(v)
  if v - v ~= 0 then
    return 0
  end
  return (min(v % TWO_32 + ROUND - ROUND, TWO_32))
end

local function prepare_word(v)
  if type(v) ~= "number" then
    return v
  elseif v > -TWO_51 and v < TWO_51 then
    return (min(v + ROUND - ROUND, TWO_51))
  end
  return (wrap_large_word(v))
end

local function wrap_unary(f)
  return function(a)
    if type(a) == "number" then
      return (f(prepare_word(a)))
    end
    return f(a)
  end
end

local function wrap_binary(f)
  return function(a, b)
    if type(a) == "number" and type(b) == "number" then
      return (f(prepare_word(a), prepare_word(b)))
    end
    return f(prepare_word(a), prepare_word(b))
  end
end

local function convert_all(...)
  if select("#", ...) > 0 then
    return prepare_word((...)), convert_all(select(2, ...))
  end
end

local function wrap_variadic(f)
  return function(a, b, ...)
    local n = select("#", ...)
    if n == 0 and type(a) == "number" and type(b) == "number" then
      return (f(prepare_word(a), prepare_word(b)))
    elseif n == 0 and b == nil then
      return f(prepare_word(a))
    end
    return f(prepare_word(a), prepare_word(b), convert_all(...))
  end
end

M.bit = {
  tobit = wrap_unary(bit.tobit), bnot = wrap_unary(bit.bnot), bswap = wrap_unary(bit.bswap),
  lshift = wrap_binary(bit.lshift), rshift = wrap_binary(bit.rshift), arshift = wrap_binary(bit.arshift),
  rol = wrap_binary(bit.rol), ror = wrap_binary(bit.ror),
  band = wrap_variadic(bit.band), bor = wrap_variadic(bit.bor), bxor = wrap_variadic(bit.bxor),
  tohex = function(v, n)
    if n == nil then
      return bit.tohex(prepare_word(v))
    end
    return bit.tohex(prepare_word(v), prepare_integer(n))
  end,
}

-- --- string and table: integer arguments, and the same string for every NaN

-- Clamps a string position and maps NaN to 0. The limits exceed the length of any string; -2^31 would overflow in
-- compiled code.
local function clamp_position(v)
  if type(v) ~= "number" then
    return v
  elseif v >= -2147483000 and v <= 2147483000 then
    return (min(v, 2147483000))
  end
  return v ~= v and 0 or v < 0 and -2147483000 or 2147483000
end

-- Returns true if `j`, the end position of a substring, is counted from the end of the string. Callers branch on it, so
-- that LuaJIT records a separate trace: a trace recorded with an end position past the end of the string would treat
-- negative positions as past the end.
local function is_before(j)
  return type(j) == "number" and j < 0
end

local function format_nan(s)
  return s ~= s and "nan" or s
end

local string_sub, string_byte, string_rep, string_char = string.sub, string.byte, string.rep, string.char
local string_find, string_match = string.find, string.match

-- Format specifiers that convert their argument to an integer, with 32 bits for c and 64 bits for all other specifiers;
-- the value is true if the integer is signed.
local INTEGER_CONVERSIONS = { d = true, i = true, c = true, u = false, x = false, X = false, o = false }

local function clamp_to_64_bits(v, is_signed)
  if v ~= v then
    return 0
  elseif is_signed then
    return v < -2 ^ 63 and -2 ^ 63 or v >= 2 ^ 63 and 2 ^ 63 - 1024 or v
  end
  return v < -2 ^ 63 and -2 ^ 63 or v >= 2 ^ 64 and 2 ^ 64 - 2048 or v
end

local function prepare_formatted(v, conversion)
  local is_signed = INTEGER_CONVERSIONS[conversion]
  if is_signed == nil or type(v) ~= "number" then
    return v
  end
  return conversion == "c" and prepare_integer(v) or clamp_to_64_bits(v, is_signed)
end

local function is_moderate(v)
  return v > -2 ^ 31 and v < 2 ^ 31
end

local function are_moderate(...)
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    if type(v) == "number" and not is_moderate(v) then
      return false
    end
  end
  return true
end

local function is_plain(v)
  return type(v) == "string" or type(v) == "number" and is_moderate(v)
end

-- Returns true for at most eight arguments that string.format prints identically everywhere: strings and moderate
-- numbers. Not a function with variable arguments, because LuaJIT interprets these unless a loop calls them.
---@param count integer number of arguments
---@param a any
---@param b any
---@param c any
---@param d any
---@param e any
---@param f any
---@param g any
---@param h any
---@return boolean
function M.are_plain(count, a, b, c, d, e, f, g, h)
  return count <= 8 and (count < 1 or is_plain(a)) and (count < 2 or is_plain(b)) and (count < 3 or is_plain(c))
    and (count < 4 or is_plain(d)) and (count < 5 or is_plain(e)) and (count < 6 or is_plain(f))
    and (count < 7 or is_plain(g)) and (count < 8 or is_plain(h))
end

-- Converts arguments of string.format to numbers that are printed identically by interpreted and compiled code.
---@param text any
---@param ... any
---@return any ...
function M.prepare_format_arguments(text, ...)
  if type(text) ~= "string" or are_moderate(...) then
    return ...
  end
  local arguments, index = { ... }, 0
  for conversion in text:gsub("%%%%", ""):gmatch("%%[^%a]*(%a)") do
    index = index + 1
    arguments[index] = prepare_formatted(arguments[index], conversion)
  end
  return unpack(arguments, 1, select("#", ...))
end

M.string = {
  sub = function(s, i, j)
    if j == nil then
      return (string_sub(format_nan(s), clamp_position(i)))
    end
    j = clamp_position(j)
    if is_before(j) then
      return (string_sub(format_nan(s), clamp_position(i), j))
    end
    return (string_sub(format_nan(s), clamp_position(i), j))
  end,
  byte = function(s, i, j)
    if j == nil then
      return (string_byte(format_nan(s), clamp_position(i)))
    end
    j = clamp_position(j)
    if is_before(j) then
      return string_byte(format_nan(s), clamp_position(i), j)
    end
    return string_byte(format_nan(s), clamp_position(i), j)
  end,
  rep = function(s, n, separator)
    return (string_rep(format_nan(s), clamp_position(n), separator))
  end,
  find = function(s, pattern, init, plain)
    return string_find(format_nan(s), pattern, clamp_position(init), plain)
  end,
  match = function(s, pattern, init)
    return string_match(format_nan(s), pattern, clamp_position(init))
  end,
  char = function(a, ...)
    if select("#", ...) == 0 and a ~= nil then
      return (string_char(prepare_integer(a)))
    end
    local list = { a, ... }
    for i = 1, select("#", ...) + 1 do
      list[i] = prepare_integer(list[i])
    end
    return string_char(unpack(list, 1, #list))
  end,
}
for _, name in ipairs { "len", "lower", "upper", "reverse", "gsub", "gmatch" } do
  local f = string[name]
  M.string[name] = function(s, ...)
    return f(format_nan(s), ...)
  end
end

local concat, insert, remove = table.concat, table.insert, table.remove

-- Prepares a list for table.concat: if the range from `first` to `last` contains NaN, returns a copy of that range with
-- "nan" in place of every NaN, otherwise `list` itself.
local function replace_nan(list, first, last)
  for i = first, last do
    local v = rawget(list, i)
    if v ~= v then
      local copy = {}
      for k = first, last do
        copy[k] = format_nan(rawget(list, k))
      end
      return copy
    end
  end
  return list
end

M.table = {
  concat = function(list, separator, first, last)
    first, last = prepare_integer(first), prepare_integer(last)
    if type(list) == "table" and (first == nil or type(first) == "number")
      and (last == nil or type(last) == "number") then
      list, first, last = replace_nan(list, first or 1, last or #list), first or 1, last or #list
    end
    return concat(list, separator, first, last)
  end,
  insert = function(list, ...)
    if select("#", ...) == 2 then
      local position, v = ...
      insert(list, prepare_integer(position), v)
    else
      insert(list, ...)
    end
  end,
  remove = function(list, position)
    if position == nil then
      return (remove(list))
    end
    return (remove(list, prepare_integer(position)))
  end,
}

M.base = {
  select = function(n, ...)
    return select(prepare_integer(n), ...)
  end,
  unpack = function(list, first, last)
    return unpack(list, prepare_integer(first), prepare_integer(last))
  end,
  tonumber = function(v, base)
    if base == nil then
      return tonumber(v)
    end
    return tonumber(format_nan(v), prepare_integer(base))
  end,
}

return M
