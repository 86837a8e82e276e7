-- Writes JSON for tests/bench/run.
local json = {}

local LIST = {}

-- Marks a table as a list, so that it is written as [] when it is empty.
function json.list(items)
  return setmetatable(items or {}, LIST)
end

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function quote(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return ESCAPES[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

-- JSON has no infinity and no NaN.
local function number(value)
  return value - value == 0 and ("%.6g"):format(value) or "null"
end

function json.encode(value)
  local kind, parts = type(value), {}
  if kind == "string" then return quote(value) end
  if kind == "number" then return number(value) end
  if kind ~= "table" then return tostring(value == nil and "null" or value) end
  if getmetatable(value) == LIST then
    for i, item in ipairs(value) do parts[i] = json.encode(item) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, item in pairs(value) do table.insert(parts, quote(tostring(key)) .. ":" .. json.encode(item)) end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

return json
