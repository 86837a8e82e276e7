-- The utf8 library of Lua 5.3, independent of the locale.
local need = ...
local report = need("base/report")
local byte, floor = string.byte, math.floor

---@class engine.utf8
local M = { charpattern = "[%z\1-\127\194-\244][\128-\191]*" }
-- Minimum code point by encoded length in bytes: a lower code point is an overlong encoding.
local MIN_CODE_POINTS = { 0, 0x80, 0x800, 0x10000 }
local MAX_CODE_POINT = 0x10FFFF

-- Decodes the character at byte `at`. Returns its code point and length in bytes, or nil if it is invalid or missing.
local function decode_character(s, at)
  local lead_byte = byte(s, at)
  if not lead_byte or lead_byte < 0x80 then
    return lead_byte, 1
  end
  local count = lead_byte >= 0xF8 and 0 or lead_byte >= 0xF0 and 4 or lead_byte >= 0xE0 and 3 or lead_byte >= 0xC0
    and 2 or 0
  if count == 0 then
    return nil
  end
  local code = lead_byte % 2 ^ (7 - count)
  for i = at + 1, at + count - 1 do
    local continuation = byte(s, i)
    if not continuation or continuation < 0x80 or continuation >= 0xC0 then
      return nil
    end
    code = code * 64 + continuation - 0x80
  end
  if code < MIN_CODE_POINTS[count] or code > MAX_CODE_POINT then
    return nil
  end
  return code, count
end

local function check_string(s, name)
  if type(s) == "number" then
    return tostring(s)
  elseif type(s) ~= "string" then
    report.raise("utf8.%s: expected a string, got %s", name, report.describe(s))
  end
  return s
end

local function check_number(v, name, default)
  if v == nil then
    return default
  elseif type(v) ~= "number" or v % 1 ~= 0 then
    report.raise("utf8.%s: expected an integer, got %s", name, report.describe(v))
  end
  return v
end

local function resolve_negative_index(at, length)
  return at >= 0 and at or length + at + 1
end

local function encode_character(code)
  if code < 0x80 then
    return string.char(code)
  end
  local tail, lead_limit = {}, 0x40
  repeat
    table.insert(tail, 1, string.char(0x80 + code % 64))
    code, lead_limit = floor(code / 64), lead_limit / 2
  until code < lead_limit
  return string.char(256 - 2 * lead_limit + code) .. table.concat(tail)
end

-- Encodes code points as a string.
---@param ... any
---@return string
function M.char(...)
  local out = {}
  for i = 1, select("#", ...) do
    local code = select(i, ...)
    if type(code) ~= "number" or code % 1 ~= 0 or code < 0 or code > MAX_CODE_POINT then
      report.raise("utf8.char: a code point must be an integer from 0 to 0x10FFFF, got %s", report.describe(code))
    end
    out[i] = encode_character(code)
  end
  return table.concat(out)
end

-- Returns an iterator over the characters of a string: `for at, code in utf8.codes(s)` sets `at` to the byte position
-- and `code` to the code point.
---@param s any
---@return function
---@return string
---@return integer
function M.codes(s)
  s = check_string(s, "codes")
  return function(_, at)
    at = at + 1
    -- Skips the remaining bytes of the previous character.
    while at <= #s and at > 1 and byte(s, at) >= 0x80 and byte(s, at) < 0xC0 do
      at = at + 1
    end
    if at > #s then
      return nil
    end
    local code, count = decode_character(s, at)
    local next_byte = code and byte(s, at + count)
    if not code or next_byte and next_byte >= 0x80 and next_byte < 0xC0 then
      report.raise("utf8.codes: byte %d is not valid UTF-8", at)
    end
    return at, code
  end, s, 0
end

-- Returns the code points of the characters that start between bytes i and j.
---@param s any
---@param i? any
---@param j? any
---@return integer ...
function M.codepoint(s, i, j)
  s = check_string(s, "codepoint")
  i = resolve_negative_index(check_number(i, "codepoint", 1), #s)
  j = resolve_negative_index(check_number(j, "codepoint", i), #s)
  if i < 1 or j > #s then
    report.raise("utf8.codepoint: byte %d is out of range in a string of %d bytes", i < 1 and i or j, #s)
  end
  local out, count = {}, 0
  while i <= j do
    local code, bytes = decode_character(s, i)
    if not code then
      report.raise("utf8.codepoint: byte %d is not valid UTF-8", i)
    end
    count = count + 1
    out[count], i = code, i + bytes
  end
  return unpack(out, 1, count)
end

-- Returns the number of characters that start between bytes i and j, or nil and the position of the first invalid byte.
---@param s any
---@param i? any
---@param j? any
---@return integer?
---@return integer?
function M.len(s, i, j)
  s = check_string(s, "len")
  i = resolve_negative_index(check_number(i, "len", 1), #s)
  j = resolve_negative_index(check_number(j, "len", -1), #s)
  if i < 1 or i > #s + 1 or j > #s then
    report.raise("utf8.len: byte %d is out of range in a string of %d bytes", (i < 1 or i > #s + 1) and i or j, #s)
  end
  local count = 0
  while i <= j do
    local code, bytes = decode_character(s, i)
    if not code then
      return nil, i
    end
    count, i = count + 1, i + bytes
  end
  return count
end

local function is_continuation(s, at)
  local c = byte(s, at)
  return c ~= nil and c >= 0x80 and c < 0xC0
end

-- Returns the byte position of the n-th character counted from byte i, backwards if n is negative; nil if the string
-- has too few characters. If n is 0, returns the start of the character that contains byte i.
---@param s any
---@param n any
---@param i? any
---@return integer?
function M.offset(s, n, i)
  s, n = check_string(s, "offset"), check_number(n, "offset", 1)
  i = resolve_negative_index(check_number(i, "offset", n > 0 and 1 or #s + 1), #s)
  if i < 1 or i > #s + 1 then
    report.raise("utf8.offset: byte %d is out of range in a string of %d bytes", i, #s)
  elseif n == 0 then
    while i > 1 and is_continuation(s, i) do
      i = i - 1
    end
    return i
  elseif is_continuation(s, i) then
    report.raise("utf8.offset: byte %d is in the middle of a character", i)
  end
  while n < 0 and i > 1 do
    repeat
      i = i - 1
    until i == 1 or not is_continuation(s, i)
    n = n + 1
  end
  n = n > 0 and n - 1 or n
  while n > 0 and i <= #s do
    repeat
      i = i + 1
    until not is_continuation(s, i)
    n = n - 1
  end
  return n == 0 and i or nil
end

return M
