-- Writes a game of random systems, each once in single and once in double precision:
-- luajit tests/single_choices/generate.lua FOLDER COUNT SEED. Their statements choose between enum choices, integers,
-- booleans, entities and small f32 numbers, for which both precisions must give the same results. The game reports an
-- error for a row in which they differ.
local folder, count, seed = arg[1], tonumber(arg[2]), tonumber(arg[3])

local state = seed * 7919 + 17
local function below(n)
  state = (state * 16807) % 2147483647
  return state % n
end
local function pick(list) return list[below(#list) + 1] end

local FIELDS = { mode = "enum", last = "enum", small = "u8", count = "i32", short = "i16", on = "bool", off = "bool",
  x = "f32", y = "f32", goal = "entity" }
local NAMES = { "mode", "last", "small", "count", "short", "on", "off", "x", "y", "goal" }
local CHOICES = { '"idle"', '"flee"', '"hunt"', '"rest"' }

local function names_of(kinds)
  local out = {}
  for _, name in ipairs(NAMES) do
    if kinds[FIELDS[name]] then out[#out + 1] = name end
  end
  return out
end
local NUMBERS, ENUMS, BOOLS = names_of { u8 = true, i32 = true, i16 = true, f32 = true }, names_of { enum = true },
  names_of { bool = true }

local condition, value

local function number(depth)
  local kind = below(depth > 0 and 5 or 2)
  if kind == 0 then return tostring(below(9)) end
  if kind == 1 then return "n." .. pick(NUMBERS) end
  if kind == 2 then return ("(%s and %s or %s)"):format(condition(depth - 1), number(depth - 1), number(depth - 1)) end
  if kind == 3 then return ("math.%s(%s, %s)"):format(pick { "min", "max" }, number(depth - 1), number(depth - 1)) end
  return ("(%s + %d) %% 7"):format(number(depth - 1), below(5))
end

function condition(depth)
  local kind = below(depth > 0 and 8 or 4)
  if kind == 0 then
    return ("n.%s %s %s"):format(pick(NUMBERS), pick { "<", ">", "<=", ">=", "==", "~=" }, number(0))
  end
  if kind == 1 then return ("n.%s %s %s"):format(pick(ENUMS), pick { "==", "~=" }, pick(CHOICES)) end
  if kind == 2 then return "n." .. pick(BOOLS) end
  if kind == 3 then return ("n.%s %s n.%s"):format(pick(ENUMS), pick { "==", "~=" }, pick(ENUMS)) end
  if kind == 4 then return ("not (%s)"):format(condition(depth - 1)) end
  if kind == 5 then return ("(%s and %s)"):format(condition(depth - 1), condition(depth - 1)) end
  if kind == 6 then return ("(%s or %s)"):format(condition(depth - 1), condition(depth - 1)) end
  return ("(%s < %s)"):format(number(depth - 1), number(depth - 1))
end

function value(kind, depth)
  if depth > 0 and below(2) == 0 and kind ~= "bool" then
    return ("(%s and %s or %s)"):format(condition(depth - 1), value(kind, depth - 1), value(kind, depth - 1))
  elseif kind == "enum" then
    return below(3) > 0 and pick(CHOICES) or "n." .. pick(ENUMS)
  elseif kind == "bool" then
    return pick { "true", "false", "not n." .. pick(BOOLS), condition(depth) }
  elseif kind == "entity" then
    return pick { "e", "shoal.none", "n.goal" }
  end
  return number(depth)
end

local statements

local function statement(depth)
  local name, kind = pick(NAMES), below(depth > 0 and 6 or 2)
  local field_kind = FIELDS[name]
  if kind < 2 then
    return { ("n.%s = %s"):format(name, value(field_kind, 2)) }
  elseif kind == 2 then -- a local that is assigned in branches
    return { ("local v = %s if %s then v = %s elseif %s then v = %s end n.%s = v"):format(value(field_kind, 0),
      condition(1), value(field_kind, 1), condition(1), value(field_kind, 0), name) }
  end
  local out = { ("if %s then"):format(condition(2)) }
  for _, line in ipairs(statements(depth - 1, name)) do out[#out + 1] = "  " .. line end
  if kind > 3 then
    out[#out + 1] = kind == 5 and ("elseif %s then"):format(condition(1)) or "else"
    for _, line in ipairs(statements(depth - 1, name)) do out[#out + 1] = "  " .. line end
  end
  out[#out + 1] = "end"
  return out
end

function statements(depth, name)
  local out = {}
  if name then -- often all branches assign the same field
    out[1] = ("n.%s = %s"):format(name, value(FIELDS[name], below(2)))
  end
  for _ = 1, below(2) + (name and 0 or 2) do
    out[#out + 1] = "do"
    for _, line in ipairs(statement(depth)) do out[#out + 1] = "  " .. line end
    out[#out + 1] = "end"
  end
  return out
end

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

os.execute(("mkdir -p '%s/systems'"):format(folder))
local components = {}
for i = 1, count do
  local body = "    " .. table.concat(statements(2), "\n    ")
  for _, precision in ipairs { "single", "double" } do
    local name = precision .. i
    components[#components + 1] = ("  %s = fields(),"):format(name)
    write(("systems/%s.lua"):format(name), ('return {\n  query = { "%s" },\n%s'
      .. "  each = function(e)\n    local n = e.%s\n%s\n  end,\n}\n"):format(name,
      precision == "single" and '  precision = "single",\n' or "", name, body))
  end
end
write("components.lua", [[
local t = shoal.types
local function fields()
  return { mode = t.enum { "idle", "flee", "hunt", "rest" }, last = t.enum { "idle", "flee", "hunt", "rest" },
    small = t.u8(0), count = t.i32(0), short = t.i16(0), on = false, off = true, x = 0, y = 0, goal = t.entity }
end
return {
]] .. table.concat(components, "\n") .. "\n}\n")
write("game.lua", ([[
local NAMES = { "mode", "last", "small", "count", "short", "on", "off", "x", "y", "goal" }
return { title = "Choices", start = function()
  local choices = { "idle", "flee", "hunt", "rest" }
  for row = 1, 300 do
    local parts = {}
    for i = 1, %d do
      local values = { mode = choices[row %% 4 + 1], last = choices[math.floor(row / 4) %% 4 + 1], small = row %% 9,
        count = row %% 11 - 5, short = row %% 5, on = row %% 2 == 0, off = row %% 3 == 0, x = row %% 7, y = row %% 13 }
      parts["single" .. i], parts["double" .. i] = values, values
    end
    world.spawn(nil, parts)
  end
end }]]):format(count))
write("systems/zz_compare.lua", ([[
local NAMES = { "mode", "last", "small", "count", "short", "on", "off", "x", "y", "goal" }
return { phase = "post_update", update = function()
  for i = 1, %d do
    for e in world.each("single" .. i) do
      local single, double = e["single" .. i], e["double" .. i]
      for _, name in ipairs(NAMES) do
        if single[name] ~= double[name] then
          error(("program %%d: %%s is %%s in single and %%s in double precision"):format(i, name,
            tostring(single[name]), tostring(double[name])))
        end
      end
    end
  end
end }]]):format(count))
