-- Random systems as source texts, for which single and double precision must give the same results: integers, enums,
-- booleans, entities, and floating-point numbers so small and with so few digits that f32 represents every intermediate
-- result exactly. Pure Lua: luajit -e 'print(dofile("tests/single_choices/program.lua").make(7, 1, false).each)'
--
-- Fields are written as {path}, {path:2} (element 2 of a list) and {#path} (its length). {^path} is a field of the
-- previous system's component, {>path} of the entity in `goal`, {=path} of row k, {~path} of an optional component and
-- {!path} of a singleton. `render` replaces them. `@type(value)` marks a store.
local M = {}

-- { path, type, capacity of a list }. Scripts in single precision cannot write `u32` and `string`.
M.FIELDS = { { "tiny", "i8" }, { "short", "i16" }, { "count", "i32" }, { "small", "u8" }, { "wide", "u16" },
  { "id", "u32" }, { "x", "f32" }, { "y", "f32" }, { "far", "f64" }, { "deep", "f64" }, { "on", "bool" },
  { "off", "bool" }, { "mode", "enum" }, { "last", "enum" }, { "alarm", "alarm" }, { "word", "string" },
  { "goal", "entity" }, { "at.x", "f32" }, { "at.y", "f32" }, { "part.n", "i16" }, { "part.x", "f32" },
  { "part.mode", "enum" }, { "part.on", "bool" }, { "bits", "u8", 3 }, { "sizes", "f32", 2 }, { "modes", "enum", 2 },
  { "flags", "bool", 2 } }
M.CHOICES, M.ALARMS = { "idle", "flee", "hunt", "rest" }, { "rest", "red", "idle" }
M.ROWS = 41 -- not a multiple of the rows in a vector

-- Kind in single precision, largest magnitude, and number of binary digits after the point, by type of field.
local NUMBERS = { i8 = { "whole", 128, 0 }, i16 = { "whole", 2 ^ 15, 0 }, i32 = { "whole", 2 ^ 31, 0 },
  u8 = { "whole", 255, 0 }, u16 = { "whole", 2 ^ 16, 0 }, u32 = { "whole", 2 ^ 32, 0 }, f32 = { "f32", 64, 2 },
  f64 = { "f64", 2 ^ 20, 4 } }
local F32_LIMIT, F64_LIMIT = 2 ^ 24, 2 ^ 50

M.HEAD = [[
local SCALES, MODES, LIMIT = { 1, 5, 2, 0.25 }, { "idle", "flee", "hunt", "rest" }, 5
local function sign(v)
  if v > 0 then
    return 1
  elseif v < 0 then
    return -1
  end
  return 0
end
local function smaller(a, b)
  if math.abs(a) < math.abs(b) then return a else return b end
end
local function name_of(c, d)
  if c then
    return "flee"
  elseif d then
    return "rest"
  end
  return "idle"
end
]]

---@param seed integer
---@return fun(n: integer): integer returns a random integer from 1 to n
function M.stream(seed)
  local state = seed % 2147483646 + 1
  local function pick(n)
    state = (state * 16807) % 2147483647
    return state % n + 1
  end
  for _ = 1, 5 do pick(2) end
  return pick
end

local pick, program ---@type fun(n: integer): integer, table
local function any(list) return list[pick(#list)] end

local function paths(accept)
  local out = {}
  for _, field in ipairs(M.FIELDS) do
    for k = 1, accept(field[2]) and (field[3] or 1) or 0 do
      out[#out + 1] = { field[3] and field[1] .. ":" .. k or field[1], field[2] }
    end
  end
  return out
end
local NUMERIC = paths(function(t) return NUMBERS[t] ~= nil end)
local WRITABLE = paths(function(t) return t ~= "u32" and t ~= "string" end)
local BOOLS, ENUMS = paths(function(t) return t == "bool" end), paths(function(t) return t == "enum" end)
local TEXTS = paths(function(t) return t == "enum" or t == "alarm" or t == "string" end)

-- Returns a field to read, sometimes of the previous system's component.
local function read(list)
  local field = any(list)
  return ("{%s%s}"):format(program.has_previous and pick(4) == 1 and "^" or "", field[1]), field[2]
end

-- --- numbers: { text, kind, mag, frac, peak }: `peak` is the largest value, in units of the last digit, of all steps

local function make(text, kind, mag, frac, peak)
  local size = mag * 2 ^ frac
  peak = kind == "free" and math.max(size, peak or 0) or size
  return { text = text, kind = kind, mag = mag, frac = frac, peak = peak, worst = peak, has_f32 = kind == "f32" }
end

-- Returns the kind of an operation on two numbers, or nil if it might not be exact.
local function join(a, b, mag, frac)
  local kind = (a.kind == "f64" or b.kind == "f64") and "f64" or (a.kind == "f32" or b.kind == "f32") and "f32"
    or a.kind == "free" and b.kind == "free" and "free" or "whole"
  local limit = (kind == "f32" or kind == "free") and F32_LIMIT or F64_LIMIT
  local is_exact = math.max(mag * 2 ^ frac, kind == "f32" and math.max(a.peak, b.peak) or 0) <= limit
  return is_exact and kind or nil
end

local number, condition, enum

local function leaf()
  local kind = pick(12)
  if kind <= 2 then
    local v = any { 0, 1, 2, 3, 7, 9, 100, 0.25, 1.5, -1, -2.75 }
    return make(v < 0 and "(" .. v .. ")" or tostring(v), "free", math.abs(v), v % 1 == 0 and 0 or 2)
  elseif kind == 3 and #program.locals > 0 then
    return any(program.locals)
  elseif kind == 4 then
    return any { make("LIMIT", "free", 5, 0), make("world.single.g.count", "free", 11, 0),
      make("world.single.g.level", "free", 16, 2), make("world.single.g.big", "free", 2 ^ 25, 0),
      make("world.tick", "whole", 100, 0), make("16777217", "free", 2 ^ 25, 0), make("2147483647", "free", 2 ^ 31, 0) }
  elseif kind == 5 and program.is_update then
    return make("{i}", "whole", M.ROWS, 0)
  elseif kind == 6 then
    local field = any { "bits", "sizes", "modes" }
    return make(("{#%s}"):format(field), "whole", 3, 0)
  end
  local text, t = read(NUMERIC)
  return make(text, NUMBERS[t][1], NUMBERS[t][2], NUMBERS[t][3])
end

local function binary(op, a, b)
  local mag = op == "*" and a.mag * b.mag or (op == "+" or op == "-") and a.mag + b.mag or math.max(a.mag, b.mag)
  local frac = op == "*" and a.frac + b.frac or math.max(a.frac, b.frac)
  local kind = join(a, b, mag, frac)
  if not kind then
    return a
  elseif op == "+" or op == "-" or op == "*" then
    return make(("(%s %s %s)"):format(a.text, op, b.text), kind == "whole" and "f64" or kind, mag, frac,
      math.max(a.peak, b.peak))
  end
  local name = op == "smaller" and op or any { "math.", "shoal.math." } .. op
  return make(("%s(%s, %s)"):format(name, a.text, b.text), kind, mag, frac, math.max(a.peak, b.peak))
end

local function unary(op, a)
  local kind = a.kind == "whole" and "f64" or a.kind
  local limit = (a.kind == "f32" or a.kind == "free") and F32_LIMIT or F64_LIMIT
  if op == "floor" or op == "ceil" then
    return make(("math.%s(%s)"):format(op, a.text), a.kind, a.mag + 1, 0, a.peak)
  elseif op == "abs" or op == "neg" then
    return make((op == "abs" and "math.abs(%s)" or "-(%s)"):format(a.text), kind, a.mag, a.frac, a.peak)
  elseif op == "sign" then
    return make(("sign(%s)"):format(a.text), "free", 1, 0)
  elseif op == "mod" and a.peak * 8 <= limit then
    local by = any(limit == F32_LIMIT and { 2, 4, 8 } or { 2, 3, 7, 8, 10 })
    return make(("(%s %% %d)"):format(a.text, by), kind, by, a.frac, a.peak * 8)
  elseif op == "half" and a.peak * 2 <= limit then
    return make(("(%s / 2)"):format(a.text), kind, a.mag, a.frac + 1, a.peak * 2)
  elseif op == "bits" and a.frac == 0 then
    local mask = any { 1, 3, 6, 15 }
    return make(("bit.%s(%s, %d)"):format("band", a.text, mask), "whole", mask, 0)
  elseif op == "table" and a.frac == 0 then
    return make(("SCALES[bit.band(%s, 3) + 1]"):format(a.text), "free", 5, 2)
  end
  return a
end

function number(depth)
  local kind = depth <= 0 and 0 or pick(10)
  if kind == 0 or kind == 1 then
    return leaf()
  elseif kind <= 5 then
    return binary(any { "+", "-", "*", "min", "max", "smaller", "+" }, number(depth - 1), number(depth - 1))
  elseif kind <= 7 then
    return unary(any { "floor", "ceil", "abs", "neg", "sign", "mod", "half", "bits", "table" }, number(depth - 1))
  end
  local a, b = number(depth - 1), number(depth - 1)
  local mag, frac = math.max(a.mag, b.mag), math.max(a.frac, b.frac)
  local joined, worst, has_f32 = join(a, b, mag, frac), math.max(a.worst, b.worst), a.has_f32 or b.has_f32
  if not joined or has_f32 and worst > F32_LIMIT then -- the values of nested choices meet in the order of their paths
    return a
  end
  local out = make(("(%s and %s or %s)"):format(condition(depth - 1), a.text, b.text), joined, mag, frac,
    math.max(a.peak, b.peak))
  out.worst, out.has_f32 = worst, has_f32
  return out
end

-- --- conditions, enum choices and entities

-- Integers that f32 cannot distinguish.
local LARGE = { "world.single.g.big", "16777217", "16777216", "{count}", "({id} - 1)", "(world.single.g.big - 1)",
  "math.max(world.single.g.big, 16777217)" }

local function comparison(depth)
  if pick(8) == 1 then
    return ("%s %s %s"):format(any(LARGE), any { "<", ">", "<=", ">=", "==", "~=" }, any(LARGE))
  end
  local a, b = number(depth), number(0)
  local is_exact = a.kind == "f64" or b.kind == "f64" or a.kind ~= "f32" and b.kind ~= "f32"
    or math.max(a.peak, b.peak) <= F32_LIMIT
  return ("%s %s %s"):format(a.text, any { "<", ">", "<=", ">=", "==", "~=" }, is_exact and b.text or a.text)
end

local function text_comparison()
  local op, a, t = any { "==", "~=" }, read(TEXTS)
  local b = pick(3) > 1 and ("%q"):format(any(t == "alarm" and M.ALARMS or M.CHOICES))
    or pick(4) == 1 and "world.single.g.mode" or (read(TEXTS))
  return ("%s %s %s"):format(a, op, b)
end

function condition(depth)
  local kind = pick(depth > 0 and 11 or 6)
  if kind <= 2 then
    return comparison(depth - 1)
  elseif kind == 3 then
    return text_comparison()
  elseif kind == 4 then
    return (read(BOOLS))
  elseif kind == 5 then
    return any { "{goal} == {e}", "{goal} == shoal.none", "{goal} ~= {e}", "world.single.g.open", "dt < 0.25" }
  elseif kind == 6 then
    return ("%s %s %s"):format((read(BOOLS)), any { "==", "~=" }, (read(BOOLS)))
  elseif kind == 7 then
    return ("not (%s)"):format(condition(depth - 1))
  elseif kind == 8 then
    return ("%s == name_of(%s, %s)"):format((read(ENUMS)), condition(depth - 1), condition(0))
  end
  return ("(%s %s %s)"):format(condition(depth - 1), any { "and", "or" }, condition(depth - 1))
end

function enum(depth, choices)
  local kind = depth <= 0 and pick(3) or pick(6)
  if kind >= 5 then
    return ("(%s and %s or %s)"):format(condition(depth - 1), enum(depth - 1, choices), enum(depth - 1, choices))
  elseif choices == M.ALARMS then
    return pick(4) == 1 and "{alarm}" or ("%q"):format(any(choices))
  elseif kind == 4 then
    return any { "world.single.g.mode", ("name_of(%s, %s)"):format(condition(0), condition(0)),
      "MODES[bit.band({small}, 3) + 1]" }
  end
  return pick(3) == 1 and (read(ENUMS)) or ("%q"):format(any(choices))
end

local function entity(depth)
  if depth > 0 and pick(2) == 1 then
    return ("(%s and %s or %s)"):format(condition(depth - 1), entity(depth - 1), entity(depth - 1))
  end
  return any { "{e}", "shoal.none", "{goal}" }
end

-- Returns a number that fits an f32 or f64 field, and has few enough digits.
local function fitting(v, t)
  local kind, mag, frac = unpack(NUMBERS[t])
  if kind ~= "f32" and kind ~= "f64" then
    return pick(2) == 1 and unary("mod", v).text or v.text
  end
  if (v.kind == "f32" or v.kind == "free") and v.peak > F32_LIMIT then
    return "0.5"
  elseif v.frac > frac then
    v = make(("(math.floor(%s * %d) / %d)"):format(v.text, 2 ^ frac, 2 ^ frac), v.kind, v.mag + 1, frac, v.peak)
  end
  return v.mag > mag and ("(%s %% %d)"):format(v.text, mag) or v.text
end

local function value(t, depth)
  if t == "bool" then
    return any { "true", "false", "not " .. read(BOOLS), condition(depth), condition(depth) }
  elseif t == "enum" or t == "alarm" then
    return enum(depth, t == "alarm" and M.ALARMS or M.CHOICES)
  elseif t == "entity" then
    return entity(depth)
  end
  return fitting(number(depth), t)
end

-- --- statements

local statements

local function assignment(field, depth)
  return ("{%s} = @%s(%s)"):format(field[1], field[2], value(field[2], depth))
end

-- Returns three values for a local. All paths of an integer are calculated in one type, which must be exact.
local function values_of_paths(t)
  if not NUMBERS[t] or NUMBERS[t][1] ~= "whole" then
    return value(t, 1), value(t, 1), value(t, 0)
  end
  local a, b, c = number(1), number(1), number(0)
  local mag, frac = math.max(a.mag, b.mag, c.mag), math.max(a.frac, b.frac, c.frac)
  local is_exact = join(a, b, mag, frac) and join(b, c, mag, frac) and join(a, c, mag, frac)
  return a.text, is_exact and b.text or a.text, is_exact and c.text or a.text
end

local function local_in_branches()
  local field = any(WRITABLE)
  local a, b, c = values_of_paths(field[2])
  return ("do local v = %s if %s then v = %s elseif %s then v = %s end {%s} = @%s(v) end"):format(a, condition(1), b,
    condition(1), c, field[1], field[2])
end

local LOOPS = {
  "do local s = 0 for k = 1, {#sizes} do if {sizes:k} > %s then s = s + {sizes:k} end end {y} = @f32(s %% 64) end",
  "do local s = 0 for k = 1, {#modes} do if {modes:k} == 'flee' or %s == k then s = s + 1 end end {tiny} = @i8(s) end",
  "do local v = false for k = 1, {#bits} do if {bits:k} == %s then v = true end end {on} = @bool(v) end",
  "do local s = 0 for k = 1, {#bits} do s = math.max(s, {bits:k}) end {count} = @i32(s + %s) end",
  "do local s = 0 for k = 1, {#flags} do if {flags:k} then s = s + k end end {far} = @f64((s + %s) %% 64) end",
  "do local v = {goal} for k = 1, {#flags} do if {flags:k} and k > %s then v = {e} end end {goal} = @entity(v) end",
  "for k = 1, {#flags} do if {flags:k} and {small} > k + %s then {mode} = @enum('hunt') end end",
}

local function loop()
  -- The last one writes a field that no other row may read.
  local is_read = program.uses.others or program.uses.target
  return (LOOPS[pick(#LOOPS - (is_read and 1 or 0))]:format(any { "1", "2", "{small}", "world.single.g.count", "{x}" }))
end

-- An assignment in branches to the same field: if, elseif and else.
local function branches(depth)
  local field = any(WRITABLE)
  local out = { ("if %s then"):format(condition(2)) }
  for _, line in ipairs(statements(depth - 1, field)) do out[#out + 1] = "  " .. line end
  if pick(3) > 1 then
    out[#out + 1] = pick(3) == 1 and ("elseif %s then"):format(condition(1)) or "else"
    for _, line in ipairs(statements(depth - 1, field)) do out[#out + 1] = "  " .. line end
  end
  out[#out + 1] = "end"
  return table.concat(out, "\n")
end

-- More statements, by feature of the program. COND, ENUM and NUMBER are random expressions.
local SPECIAL = {
  optional = { "if {has} then {x} = @f32({~v}) end", "if {has} and COND then {~mode} = @enum(ENUM) end",
    "if {has} then {~n} = @i16({~n} % 5 + {tiny}) end", "if {has} and {~on} then {mode} = @enum({~mode}) end",
    "if {has} then {~on} = @bool(COND) end", "if {has} and {~mode} == 'flee' then {~v} = @f32(NUMBER) end",
    "if {has} and {~mode} ~= {mode} then {last} = @enum({~mode}) else {last} = @enum(ENUM) end" },
  target = { "if {goal} ~= shoal.none then {x} = @f32({>y}) end",
    "if {goal} ~= shoal.none and {>on} then {mode} = @enum({>mode}) else {mode} = @enum(ENUM) end",
    "if {goal} ~= shoal.none then {count} = @i32({>small} + {>tiny}) end",
    "if {goal} ~= shoal.none and COND then {on} = @bool({>mode} == {mode}) end",
    "if {goal} ~= shoal.none and {>part.mode} == 'rest' then {part.x} = @f32({>part.x}) end" },
  others = { "do local s = 0 for k = 1, {N} do if {=small} == {small} then s = s + 1 end end {short} = @i16(s) end",
    "do local s = 0 for k = 1, {N} do if {=mode} == {mode} and {=on} then s = s + {=x} end end {far} = @f64(s) end",
    "do local v = false for k = 1, {N} do if {=last} == {last} and {=x} > 9 then v = true end end {on} = @bool(v) end",
    "do local s = -64 for k = 1, {N} do if {=x} > s and {=x} < {y} then s = {=x} end end {y} = @f32(s) end" },
  carried = { "if COND then best = {e} end", "{goal} = @entity(best)", "if COND then seen = not seen end",
    "{on} = @bool(seen)", "if seen then {mode} = @enum(ENUM) else {mode} = @enum(ENUM) end" },
  singleton = { "{!total} = @i32(({!total} + {tiny}) % 1000)", "if COND then {!flag} = @bool(not {!flag}) end",
    "if {!flag} then {x} = @f32(NUMBER) end", "{!level} = @f32(({!level} + {x}) % 64)",
    "if {!total} > 500 then {mode} = @enum(ENUM) else {mode} = @enum(ENUM) end", "{count} = @i32({!total} + {count})" },
}

local function special()
  local text = any(SPECIAL[any(program.features)])
  return (text:gsub("COND", function() return "(" .. condition(1) .. ")" end):gsub("ENUM", function()
    return enum(1, M.CHOICES)
  end):gsub("NUMBER", function() return fitting(number(1), "f32") end))
end

local function statement(depth)
  local kind = pick(depth > 0 and 12 or 3)
  if kind <= 2 then
    return assignment(any(WRITABLE), 2)
  elseif kind == 3 then
    return local_in_branches()
  elseif kind == 4 then
    return loop()
  elseif kind == 5 then
    return "if {alarm} == \"rest\" or {alarm} == \"idle\" then {last} = @enum({alarm}) end"
  elseif kind == 6 and program.sum then
    return ("if %s then sum = sum + %s end"):format(condition(1), program.sum)
  elseif kind >= 10 and #program.features > 0 then
    return special()
  end
  return branches(depth)
end

-- `field`: the first statement assigns it, as the other branches of the same `if` do.
function statements(depth, field)
  local out = {}
  if field and pick(4) > 1 then
    out[1] = assignment(field, pick(2) - 1)
  end
  for _ = 1, pick(2) + (field and -1 or 1) do
    out[#out + 1] = statement(depth)
  end
  return out
end

local SUMS = { { "1", "free", M.ROWS, 0 }, { "{x}", "f32", 64 * M.ROWS, 2 }, { "{small}", "f64", 255 * M.ROWS, 0 },
  { "{far}", "f64", 2 ^ 20 * M.ROWS, 4 } }

-- Returns a random program. `index` is its number in the game: programs from the second on read the previous one's
-- component. It may have locals that are declared before the loop, and a sum over the rows.
---@param seed integer
---@param index integer
---@return { body: string, is_update: boolean, before: string, uses: table<string, boolean> }
function M.make(seed, index)
  pick = M.stream(seed)
  program = { has_previous = index > 1 and pick(3) == 1, is_update = pick(2) == 1, locals = {}, before = "",
    features = {}, uses = {} }
  for _, feature in ipairs { "optional", "target", "singleton", "others", "carried" } do
    if pick(5) == 1 and (program.is_update or feature ~= "others" and feature ~= "carried") then
      program.features[#program.features + 1], program.uses[feature] = feature, true
    end
  end
  program.before = program.uses.carried and "local best, seen = shoal.none, false\n  " or ""
  if program.is_update and pick(2) == 1 then
    program.before = program.before .. "local base, limit = world.single.g.count + 2, 16777215 + LIMIT\n  "
    program.locals = { make("base", "free", 16, 0), make("limit", "free", 2 ^ 25, 0) }
  end
  if program.is_update and pick(4) == 1 then
    local sum = any(SUMS)
    program.sum, program.before = sum[1], program.before .. "local sum = 0\n  "
    program.locals[#program.locals + 1] = make("sum", sum[2], sum[3], sum[4])
  end
  program.body = table.concat(statements(2), "\n") .. "\n{off} = @bool(not {off})" -- a body must write something
  return program
end

-- --- texts

-- Tables that contain the fields, by prefix; NAME and PREFIX are replaced in M.system.
local TABLES = {
  each = { ["^"] = "m", [""] = "n", [">"] = "n.goal.NAME", ["~"] = "e.PREFIXrare", ["!"] = "world.single.PREFIXsum" },
  update = { ["^"] = "m", [""] = "n", [">"] = "n.goal[i].NAME", ["~"] = "q.PREFIXrare", ["="] = "n",
    ["!"] = "world.single.PREFIXsum" },
  oracle = { ["^"] = "m", [""] = "n", [">"] = "AT(n.goal).n", ["~"] = "r", ["="] = "rows[k].n", ["!"] = "S" },
}
local WORDS = {
  each = { e = "e", has = "e:has('PREFIXrare')" },
  update = { e = "q.entity[i]", i = "i", has = "q.has.PREFIXrare[i]", N = "q.count" },
  oracle = { e = "e", i = "i", has = "r", N = "#rows" },
}

-- Replaces the fields of a body. `form`: "each", "update" or "oracle".
local function render(body, form)
  local text = body:gsub("@(%w+)%(", form == "oracle" and "STORE.%1(" or "(")
  return (text:gsub("{(#?)([%^>=~!]?)([%w.]+):?(%w*)}", function(length, prefix, path, element)
    local is_length, table_name = length ~= "", TABLES[form][prefix]
    if prefix == "" and WORDS[form][path] then
      return WORDS[form][path]
    elseif form == "oracle" then
      return is_length and ("%s[\"#%s\"]"):format(table_name, path)
        or element == "k" and ("%s[\"%s:\" .. k]"):format(table_name, path)
        or ("%s[%q]"):format(table_name, path .. (element ~= "" and ":" .. element or ""))
    end
    local row = form == "update" and prefix ~= ">" and prefix ~= "!" and (prefix == "=" and "[k]" or "[i]") or ""
    return (is_length and "#" or "") .. table_name .. "." .. path .. row
      .. (element ~= "" and "[" .. element .. "]" or "")
  end))
end

local function indent(text, by) return by .. text:gsub("\n", "\n" .. by) end

-- Returns the source of a system in the component `name`; `previous` is the previous system's component.
---@param made table the result of M.make
---@param prefix string prefix of the game's component names
---@param index integer
---@param options string
---@return string
function M.system(made, prefix, index, options)
  local name, previous = prefix .. index, prefix .. index - 1
  local terms = (made.has_previous and (", %q"):format(previous) or "")
    .. (made.uses.optional and (", optional = { \"%srare\" }"):format(prefix) or "")
  local head = M.HEAD .. ("return {\n%s  query = { %q%s },\n"):format(options, name, terms)
  local row = made.is_update and "q" or "e"
  local locals = ("    local n = %s.%s\n"):format(row, name)
    .. (made.has_previous and ("    local m = %s.%s\n"):format(row, previous) or "")
  local form = made.is_update and "update" or "each"
  local body = indent(render(made.body, form), "    "):gsub("PREFIX", prefix):gsub("NAME", name)
  if made.is_update then
    return ("%s  update = function(q, dt)\n%s  %sfor i = 1, q.count do\n%s\n  end\nend }\n"):format(head, locals,
      made.before, body)
  end
  return ("%s  each = function(e, dt)\n%s%s\nend }\n"):format(head, locals, body)
end

-- Returns the source of a function that runs the body over rows of plain tables: rows[i] = { n, m, r, e }. AT(e)
-- returns the row of an entity, and S is the singleton.
---@param made table
---@return string
function M.oracle(made)
  return ("return function(rows, dt, STORE, AT, S)\n  %sfor i = 1, #rows do\n    local n, m = rows[i].n, rows[i].m\n"
    .. "    local e, r = rows[i].e, rows[i].r\n%s\n  end\nend\n"):format(made.before,
    indent(render(made.body, "oracle"), "    "))
end

return M
