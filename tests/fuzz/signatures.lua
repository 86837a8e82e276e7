-- Reads the parameters of each API function from the definitions for editors, which a test keeps complete: luajit
-- tests/fuzz/signatures.lua scripts/types/*.lua writes a table, path → { { name, kind }, … }. Kinds: function, table,
-- text, number, truth, entity, any; "self" is omitted. Methods are "Entity:add", "View:add", "Column:raw".
local CLASSES = { ["shoal.Math"] = "shoal.math.", ["shoal.Types"] = "shoal.types.", ["shoal.View"] = "View:",
  ["shoal.Column"] = "Column:" }

local KINDS = { -- the first match decides
  { "fun%(", "function" }, { "%[%]", "table" }, { "table", "table" }, { "{", "table" }, { "Options", "table" },
  { "Query", "table" },
  { "ntity", "entity" }, { "string", "text" }, { "\"", "text" }, { "integer", "number" }, { "number", "number" },
  { "boolean", "truth" },
}

local function find_kind(words)
  for _, kind in ipairs(KINDS) do
    if words:find(kind[1]) then
      return kind[2]
    end
  end
  return "any"
end

local out = {}

local function add_signature(path, list)
  out[#out + 1] = ("  [%q] = { %s },"):format(path, table.concat(list, ", "))
end

local function format_parameter(name, kind)
  return ("{ %q, %q }"):format(name, kind)
end

-- Returns the parameters of a method, without self, from the annotation of a field, such as
-- "self: shoal.View, component: string, values?: table".
local function method_parameters(words)
  local list = {}
  for name, kind in words:gmatch("([%w_]+)%??: ([^,]+)") do
    list[#list + 1] = name ~= "self" and format_parameter(name, find_kind(kind)) or nil
  end
  return list
end

-- Returns the parameters of a function from a list such as "x, y, width". Parameters without an annotation are numbers.
local function function_parameters(words, kinds)
  local list = {}
  for name in words:gmatch("[%w_%.]+") do
    local kind = kinds[name] and find_kind(kinds[name]) or "number"
    list[#list + 1] = format_parameter(name, name == "..." and kind ~= "table" and "any" or kind)
  end
  return list
end

for _, file in ipairs(arg) do
  local kinds, class = {}, nil
  for line in io.lines(file) do
    local name, kind = line:match("^%-%-%-@param ([%w_%.]+)%??%s+(.*)$")
    local field, taken = line:match("^%-%-%-@field ([%w_]+)%??%s+fun%((.-)%)")
    local path, names = line:match("^function ([%w_%.:]+)%((.-)%)")
    if name then
      kinds[name] = kind
    elseif field and CLASSES[class] then
      add_signature(CLASSES[class] .. field, method_parameters(taken))
    elseif path then
      add_signature(path, function_parameters(names, kinds))
      kinds = {}
    end
    class = line:match("^%-%-%-@class ([%w_%.]+)") or class
  end
end

table.sort(out)
print("return {\n" .. table.concat(out, "\n") .. "\n}")
