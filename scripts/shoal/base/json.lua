-- json.encode and json.decode. The output depends on the values alone: keys are sorted, and a number has the fewest
-- digits that read back as the same number. An empty table is encoded as {}.
local need, native = ...
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")

---@class engine.json
---@field behind table<table, table> read-only proxy of an object → its fields; filled by media/data_files.lua
---@field lists (fun(v: any): any[]?, boolean?)[] functions that return the values of a vector, a matrix or a list of a
---component, nil for other values; the second result is true if the values are of type f32; added by math/ and schema/
---@field EMPTY_LIST table the only empty table that is encoded as []
local M = { behind = {}, lists = {}, EMPTY_LIST = {} }
-- MAX_DEPTH: maximum nesting of tables (JSON_MAX_DEPTH in bindings/bind.h); MAX_BYTES: maximum size of a document in
-- bytes.
local MAX_DEPTH, MAX_BYTES = 100, 4194304

-- Returns the number with the fewest digits that rounds to the same f32.
---@param v number
---@return number
function M.round_to_shortest_f32(v)
  return tonumber(native.number_text(v, true)) --[[@as number]]
end

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function escape_character(c)
  return ESCAPES[c] or string.format("\\u%04x", c:byte())
end

-- Encodes a string. `path` locates the string in messages: "t.list[2]".
local function encode_string(v, path)
  local out = '"' .. v:gsub('[%z\1-\31"\\]', escape_character) .. '"'
  if v:find("[\128-\255]") and not native.json_decode(out) then
    report.raise("json.encode: %s is not valid UTF-8", path)
  end
  return out
end

-- Returns the number of elements of a list, or nil for a table with string keys and for an empty table. Throws for any
-- other table.
local function count_elements(t, path)
  local count, string_key_count = 0, 0
  for key in next, t do
    if type(key) == "number" then
      count = count + 1
    elseif type(key) == "string" then
      string_key_count = string_key_count + 1
    else
      report.raise("json.encode: a key of %s is a %s: JSON keys must be strings or list indices", path, type(key))
    end
  end
  if count > 0 and string_key_count > 0 then
    report.raise("json.encode: %s mixes string and number keys: JSON allows only one kind", path)
  end
  for i = 1, count do
    if rawget(t, i) == nil then
      report.raise("json.encode: %s is a list with a gap: element %d is missing", path, i)
    end
  end
  return count > 0 and count or nil
end

local function reject_table(path)
  report.raise("json.encode: %s is not a plain table: use e:describe() for an entity", path)
end

local append_value

local function append_table(t, out, path, ancestors)
  local fields = M.behind[t]
  t = fields or t
  if ancestors[t] then
    report.raise("json.encode: %s refers back to %s: JSON cannot represent cycles", path, ancestors[t])
  elseif not fields and getmetatable(t) ~= nil or report.tables[t] then
    reject_table(path)
  elseif out.depth == MAX_DEPTH then
    report.raise("json.encode: %s is nested too deeply (at most %d tables)", path, MAX_DEPTH)
  end
  ancestors[t], out.depth = path, out.depth + 1
  local count = t == M.EMPTY_LIST and 0 or count_elements(t, path)
  out[#out + 1] = count and "[" or "{"
  if count then
    for i = 1, count do
      out[#out + 1] = i > 1 and "," or ""
      append_value(t[i], out, string.format("%s[%d]", path, i), ancestors)
    end
  else
    for i, key in ipairs(sorted_keys(t)) do
      out[#out + 1] = (i > 1 and "," or "") .. encode_string(key, "a key of " .. path) .. ":"
      append_value(t[key], out, path .. "." .. key, ancestors)
    end
  end
  out[#out + 1] = count and "]" or "}"
  ancestors[t], out.depth = nil, out.depth - 1
end

-- Returns the values of a vector, a matrix or a list, and true if they are of type f32. Returns nil for other values.
local function get_list_values(v)
  for i = 1, #M.lists do
    local list, is_f32 = M.lists[i](v)
    if list then
      return list, is_f32
    end
  end
end

function append_value(v, out, path, ancestors)
  local kind, start = type(v), #out
  if kind == "table" then
    return append_table(v, out, path, ancestors)
  elseif kind == "number" then
    if v ~= v or v - v ~= 0 then
      report.raise("json.encode: %s is %s, which JSON cannot represent", path,
        v ~= v and "NaN" or "infinite")
    end
    out[start + 1] = native.number_text(v)
  elseif kind == "string" then
    out[start + 1] = encode_string(v, path)
  elseif kind == "boolean" then
    out[start + 1] = tostring(v)
  elseif kind == "cdata" then
    local list, is_f32 = get_list_values(v)
    if not list then
      reject_table(path)
    end
    for i, number in ipairs(is_f32 and list or {}) do
      list[i] = number - number == 0 and M.round_to_shortest_f32(number) or number
    end
    return append_table(#list > 0 and list or M.EMPTY_LIST, out, path, ancestors)
  else
    report.raise("json.encode: %s is %s: JSON supports only tables, numbers, strings and booleans", path,
      kind == "userdata" and "an entity" or kind == "nil" and "nil" or "a " .. kind)
  end
  out.bytes = out.bytes + #out[start + 1]
  if out.bytes > MAX_BYTES then
    report.raise("json.encode: the result is too long (at most %d bytes)", MAX_BYTES)
  end
end

---@param v any
---@return string
function M.encode(v)
  local out = { depth = 0, bytes = 0 }
  append_value(v, out, "t", {})
  return table.concat(out)
end

-- Decodes a JSON text; null becomes nil.
---@param s string
---@return any
function M.decode(s)
  if type(s) ~= "string" then
    report.raise("json.decode: expected a string, got %s", report.describe(s))
  elseif #s > MAX_BYTES then
    report.raise("json.decode: the string is too long: %d bytes (at most %d)", #s, MAX_BYTES)
  end
  local ok, v = native.json_decode(s)
  if not ok then
    report.raise("json.decode: %s", v)
  end
  return v
end

return M
