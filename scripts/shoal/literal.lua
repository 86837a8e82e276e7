-- Tables that are written where they are handed over: world.spawn("rock", { transform = { x = 10 } }). Which names such
-- a table has is known when its file is loaded; whoever gets it would have to go through it to learn that there are no
-- others, and the compiler could not do without the table (it drops one that is only asked for names it knows).
--
-- So LuaJIT's template of the table, of which it makes a copy each time, gets one more name, M.MARK: the number of its
-- shape. That is done to tables that go to world.spawn and world.emit alone, from where they are written, and from
-- there no further: what has no way of its own for a shape takes the mark off first (M.plain).
local need = ...
local sorted = need("sorted")
local util, bit = require("jit.util"), require("bit")

---@class engine.Shape
---@field names string[] in order
---@field inner table<string, integer> the shapes of those that are tables written in their place

---@class engine.literal
---@field MARK string a name that no field has
---@field shapes engine.Shape[]
local M = { MARK = "[shoal] shape", shapes = {} }

local TAKERS = { spawn = true, emit = true } -- functions of `world` whose second argument is such a table

-- --- instructions

local function instruction(f, at)
  local x = util.funcbc(f, at)
  return bit.band(x, 0xff), bit.band(bit.rshift(x, 8), 0xff), bit.rshift(x, 16), bit.rshift(x, 24),
    bit.band(bit.rshift(x, 16), 0xff)
end

local function op(source, at)
  return (instruction(loadstring(source)(), at))
end

local OP = {
  duplicate = op("return function() return { a = 1 } end", 1),
  global = op("return function() return a end", 1),
  field = op("return function(t) return t.a end", 1),
  store = op("return function(t, v) t.a = v end", 1),
  call = op("return function(f) f(1) end", 3),
  call_last = op("return function(f) return f(1) end", 3),
  jump = op("return function(a) if a then return 1 end end", 2),
}
-- Stores under what is no name.
local OTHER_STORES = {
  [op("return function(t, k, v) t[k] = v end", 1)] = true,
  [op("return function(t, v) t[1] = v end", 1)] = true,
}
local STORE_ALL = op("return function(f) return { f() } end", 4)

-- Comparisons name slots and write none: they are the first ones, with two between them that copy.
local LAST_COMPARISON, COPIES = 15, { [12] = true, [13] = true }

local function is_comparison(code)
  return code <= LAST_COMPARISON and not COPIES[code]
end

local function is_as_expected()
  for source, at in pairs {
    ["return function(a, b) if a < b then return 1 end end"] = 1,
    ["return function(a, b) if a >= b then return 1 end end"] = 1,
    ["return function(a, b) if a == b then return 1 end end"] = 1,
    ["return function(a) if a == 'a' then return 1 end end"] = 1,
    ["return function(a) if a ~= 1 then return 1 end end"] = 1,
    ["return function(a) if a == nil then return 1 end end"] = 1,
    ["return function(a) if a then return 1 end end"] = 1,
    ["return function(a) if not a then return 1 end end"] = 1,
  } do
    if not is_comparison(op(source, at)) then
      return false
    end
  end
  local copies = op("return function(a, b) local c = a and b return c end", 1)
  return copies > LAST_COMPARISON or COPIES[copies] or false
end

local known_bytecode = is_as_expected()

-- --- where a table goes

local function constant(f, i)
  return util.funck(f, -1 - i)
end

-- What is made in `slot` by the instruction at `at` is a part of an expression: whatever comes before it is used lies
-- in higher slots. → where it is used, and the names that it has been given, with the slots that they came from; nil
-- when more is done to it than is understood here.
local function follow(f, at, slot, last)
  local names = {}
  for i = at + 1, last do
    local code, a, d, b, c = instruction(f, i)
    if (code == OP.call or code == OP.call_last) and a < slot then
      local arguments = code == OP.call and c or d -- and one
      return i, names, a + arguments >= slot and a or nil
    elseif code == OP.store and b == slot and a ~= slot then
      names[#names + 1] = { name = constant(f, c), slot = a, at = i }
    elseif code == OP.store and a == slot and b < slot then
      return i, names
    elseif OTHER_STORES[code] and b == slot or code == STORE_ALL and a == slot + 1 then
      return nil
    elseif a <= slot and not (is_comparison(code) and a ~= slot and d ~= slot)
      and not ((code == OP.store or OTHER_STORES[code]) and b > slot) then
      return nil
    end
  end
end

-- May control come to `at` from before without coming through the instruction in front of it?
local function is_jumped_to(f, at)
  for i = 1, at - 2 do
    local code, _, d = instruction(f, i)
    if code == OP.jump and i + 1 + d - 0x8000 == at then
      return true
    end
  end
  return false
end

-- The function that a call with this base calls: is it a taker's? `before` is where its second argument is made.
local function calls_taker(f, base, before)
  for i = before - 1, 1, -1 do
    local code, a, _, b, c = instruction(f, i)
    if a == base and not is_comparison(code) then
      if code ~= OP.field or b ~= base or not TAKERS[constant(f, c)] or i == 1 or is_jumped_to(f, i + 1) then
        return false
      end
      local code_before, a_before, d_before = instruction(f, i - 1)
      return code_before == OP.global and a_before == base and constant(f, d_before) == "world"
    elseif a < base and not is_comparison(code) and code ~= OP.store then
      return false
    end
  end
  return false
end

-- --- marks

local by_words = {}

local function shape_of(names, inner)
  local words = {}
  for i, name in ipairs(names) do
    words[i] = ("%q%s"):format(name, inner[name] or "")
  end
  local key = table.concat(words, ",")
  if not by_words[key] then
    M.shapes[#M.shapes + 1] = { names = names, inner = inner }
    by_words[key] = #M.shapes
  end
  return by_words[key]
end

-- LuaJIT's template has places for names whose values are not constant, and they have none; a name that comes in takes
-- such a place unless there is something.
local function mark(template, given, inner)
  local all = {}
  for name in next, template do
    all[name] = true
  end
  for _, item in ipairs(given) do
    all[item.name] = true
  end
  for name in next, all do
    if type(name) ~= "string" then
      return nil
    end
  end
  for name in next, all do
    all[name] = template[name] == nil
    if all[name] then
      template[name] = false
    end
  end
  local names = sorted(all)
  local shape = shape_of(names, inner)
  template[M.MARK] = shape
  for name, is_empty in next, all do
    if is_empty then
      template[name] = nil
    end
  end
  return shape
end

-- Those tables that are written as values of this one.
local function mark_inner(f, from, to, slot, given)
  local inner = {}
  for at = from + 1, to - 1 do
    local code, a, d = instruction(f, at)
    if code == OP.duplicate and a > slot then
      local used, names = follow(f, at, a, to)
      for _, item in ipairs(given) do
        if used == item.at then
          inner[item.name] = mark(constant(f, d), names, {})
        end
      end
    end
  end
  return inner
end

local function look_through(f)
  local last = util.funcinfo(f).bytecodes - 1
  for at = 1, last do
    local code, a, d = instruction(f, at)
    if code == OP.duplicate then
      local used, given, base = follow(f, at, a, last)
      if used and base and a == base + 3 and calls_taker(f, base, at) then
        local inner = mark_inner(f, at, used, a, given)
        mark(constant(f, d), given, inner)
      end
    end
  end
  for i = 1, util.funcinfo(f).gcconsts do
    local child = util.funck(f, -i)
    if type(child) == "proto" then
      look_through(child)
    end
  end
end

-- Of a file's main chunk and all functions in it, before it runs.
---@param chunk function
---@param text string its source
function M.find(chunk, text)
  if known_bytecode and (text:find("world.spawn", 1, true) or text:find("world.emit", 1, true)) then
    look_through(chunk)
  end
end

-- The same table, or what a file wrote, as it was written.
---@param values any
---@return any
function M.plain(values)
  if type(values) == "table" and rawget(values, M.MARK) ~= nil then
    local shape = M.shapes[rawget(values, M.MARK)]
    values[M.MARK] = nil
    for name in next, shape and shape.inner or {} do
      M.plain(values[name])
    end
  end
  return values
end

return M
