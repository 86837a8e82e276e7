-- Random Lua programs for comparing LuaJIT's compiler with its interpreter: tables, loops over tables, closures,
-- variable arguments, metatables, coroutines, strings and rare branches. Unlike the programs of tests/programs, which
-- run as scripts of games, these use LuaJIT's own pairs and next. The order of a table's entries is undefined, so
-- programs only add up what loops over tables find. luajit -e 'print(dofile("tests/luajit/random.lua").write(7))'
-- prints a program.
local M = {}

-- N: a number, S: a string, T: a table, F: a function, C: a condition, A: anything, K: a key, V: a variable that is a
-- number, L: a literal. All templates of a kind that contain no other kinds but V and L are leaves.
local TEMPLATES = {
  L = { "0", "1", "2", "3", "5", "7", "(-1)", "(-2)", "0.5", "1.5", "2^31", "(-2^31)", "1e10", "(0/0)", "(1/0)" },
  N = { "V", "V", "V", "L", "#s", "i % 7", "#list", "(N + N)", "(N - N)", "(N * N)", "N % 17", "(-N)", "N / 3",
    "math.floor(N)", "math.abs(N)", "math.min(N, N)", "math.max(N, N)", "bit.band(int(N), 255)",
    "bit.bxor(int(N), int(N))", "bit.lshift(int(N), 3)", "(tonumber(S) or N)", "(S:byte(int(N)) or N)",
    "select('#', F(A, N))", "num((F(N, A)))", "num(T[K])", "num(T[K])", "num(T.x)", "num(rawget(T, K))",
    "(C and N or N)", "count(N)", "num((select(2, F(A, N, A))))", "num(({ N, A, x = N })[2])",
    "num(({ x = A, y = N }).x)", "num(object + N)", "num(object.x)", "num(object[K])", "sum(A, N, A)",
    "num(select(-1, A, N))", "(T[K] == nil and N or N)", "num((pcall(fail, A)))" },
  S = { "s", "('ab')", "('x1')", "('10')", "('')", "cut(S .. S)", "cut(S .. int(N))", "S:sub(int(N), int(N))",
    "S:sub(wide(N), wide(N))", "tostring(not C)", "('%d'):format(int(N))", "S:upper()", "S:rep(2):sub(1, 9)", "type(A)",
    "cut(object .. S)", "cut(S .. S .. int(N))" },
  C = { "i % 5 == 0", "i % 11 == 3", "N < N", "N <= N", "N == N", "S == S", "S < S", "A == A", "not A", "T[K]", "T.x",
    "next(T) == nil", "type(A) == 'table'", "object == T", "flag" },
  T = { "t", "u", "w", "t", "u", "w", "({ A, A, A })", "({ x = A, y = A })", "({ [key(N)] = A })",
    "({ N, x = A, A })", "({})", "({ F(A, A) })", "setmetatable({ x = A }, getmetatable(object))", "(C and T or T)" },
  A = { "N", "N", "S", "T", "C", "nil", "F", "true", "object" },
  K = { "1", "2", "3", "'x'", "'y'", "S", "key(N)", "key(N)", "i % 9", "i % 3 + 0.5", "C and 'x' or 'y'", "true",
    "'z' .. i % 4" },
  F = { "first", "second", "rest", "same", "first" },
  V = { "a", "b", "c", "n" },
}

-- X: a new variable, Z: a block of lines, Q: lines whose order does not matter
local LINES = { "V = N", "V = N", "V = N", "V = N", "s = cut(S)", "T[K] = A", "T[K] = N", "T[K] = nil", "t[K] = A",
  "T.x = N", "T.y = T", "t = T", "u = T", "w = { x = N }", "w = { N, N }", "out(A)", "out(N)", "flag = C",
  "rawset(T, K, A)", "object[K] = A", "object.x = N", "count(N)", "local X, y = F(A, N, A) out(X) out(y)",
  "out(F(A, N))", "out(pcall(fail, A))", "table.insert(list, N) if #list > 8 then list = { 1 } end",
  "V = num(table.remove(list)) table.insert(list, V)",
  "do local X = function() V = V % 100 + 1 return V end X() out(X()) end",
  "add = function(v) a = (a + v) % 1000 return a end", "out(add(N % 10))", "for k in pairs(w) do w[k] = nil end",
  "clear(w)", "local X = make(N) V = X() + X(1)", "steps = coroutine.wrap(walk) steps(T)", "V = num(steps())",
  "do local X = num(w.x) clear(w) V = V + X end",
  "do local X = {} X.k = false X.k = C out(X.k) if C then out(X.k) end end", "out(next({ [-0] = i }))",
  "do local X = setmetatable({}, metatable) X.__index = N if C then out(getmetatable(X) == metatable) end end" }
local BLOCKS = { "if C then Z end", "if C then Z else Z end", "if i % 7 == 2 then Z end", "for X = 1, 4 do Z end",
  "for X = 1, int(N) % 6 do Z end", "for X = bound(N), bound(N) do Z end", "for X = int(N) % 5, 1, -1 do Z end",
  "while n % 3 ~= 0 and spend() do n = n + 1 Z end", "for X, y in pairs(T) do Q end", "for X, y in next, T do Q end",
  "for X in pairs(T) do n = n + whole(X) end", "for _, X in ipairs(T) do Z end",
  "for X, y in pairs(T) do for k, v in pairs(T) do n = (n + whole(v) * whole(y)) % 9973 end end",
  "for X, y in items(T) do Q end", "for X, y in pairs(T) do T[X] = y n = n + 1 end",
  "repeat n = n + 1 Z until n % 4 == 0 or not spend()", "do local X = N out(pcall(function() Z return X end)) end",
  "table.foreach(T, add_entry)" }
local ANY_ORDER = { "n = (n + whole(X) * 31 + whole(y)) % 9973", "if whole(y) > 2 then n = (n + 5) % 9973 end",
  "if y then total = total + whole(X) % 64 end", "if X == 'x' then b = whole(y) end",
  "n = (n + (next(T) and 1 or 2)) % 9973", "n = (n + whole((F(X, y)))) % 9973" }

-- The frame of all programs. Functions that programs call are here, so that the compiler sees them inlined.
local HEAD = [[
local clear, result = ...
local bit, math, next, pairs, ipairs, select, pcall, type = bit, math, next, pairs, ipairs, select, pcall, type
local function int(v) return v ~= v and 0 or (v > 1e6 or v < -1e6) and 9 or math.floor(v) end
local function num(v)
  if type(v) == "number" then return v ~= v and 11 or (v > 1e6 or v < -1e6) and 13 or v end
  return type(v) == "string" and #v or v and 1 or 0
end
local function wide(v) return v ~= v and 0 or math.max(-2147483648, math.min(2147483647, v)) end
local function bound(v) return v > 6 and 6 or v < -6 and -6 or v end
local metatable = {}
local function key(v) return v ~= v and 1 or v == 0 and 0 or int(v) % 12 end
local function cut(v) return #v > 12 and v:sub(3, 9) or v end
local function out(...)
  for k = 1, select("#", ...) do
    local v = (select(k, ...))
    result[#result + 1] = type(v) == "string" and v or num(v)
  end
end
local function first(v, ...) return v end
local function second(...) local _, v = ... return v, select("#", ...) end
local function rest(_, ...) return ... end
local function same(...) return ... end
local function sum(...)
  local total = 0
  for k = 1, select("#", ...) do total = total + num((select(k, ...))) end
  for k = 1, 3 do
    local p, q = ...
    total = total + num(p) * k + num(q)
  end
  local list = { ... }
  return total + num(list[2])
end
local function fail(v) if v then error(num(v)) end return v, 1 end
local counted, fuel = 0, 3000
local function spend() fuel = fuel - 1 return fuel > 0 end
local function whole(v) return int(num(v)) end
local function count(v) counted = (counted + num(v)) % 1000 return counted end
local function make(v) local n = num(v) return function(step) n = n + (step or 0.5) return n end end
local function walk(t)
  coroutine.yield(1)
  while true do for k = 1, 5 do coroutine.yield(num(t[k]) + k) end end
end
local function items(t) local f = pairs(t) return function(s, k) return f(s, k) end, t, nil end
local object
object = setmetatable({ x = 3 }, { __index = function(t, k) return num(rawget(t, "x")) + num(k) end,
  __newindex = function(t, k, v) rawset(t, "x", num(v) % 50) end, __add = function(p, q) return num(q) + 1 end,
  __concat = function(p, q) return "c" .. num(q) % 10 end, __call = function(self, v) return v end,
  __eq = function() return true end })
local a, b, c, n, total, s, flag = 1, 2.5, 3, 0, 0, "abc", false
local t, u, w, list = { 1, 2, 3, x = 4 }, { y = 5, 6, 7 }, { x = 1 }, { 1, 2 }
local function add(v) a = (a + v) % 1000 return a end
local function add_entry(k, v) n = (n + whole(k) + whole(v)) % 9973 end
local steps = coroutine.wrap(walk) steps(t)
]]

---@class random.writer
---@field state integer state of the random number generator
---@field names integer number of variables so far
local Writer = {}
Writer.__index = Writer

---@param list string[]
---@return string
function Writer:pick(list)
  return list[self:number(#list)]
end

---@param n integer
---@return integer from 1 to n
function Writer:number(n)
  self.state = self.state * 16807 % 2147483647
  return math.floor(self.state / 11) % n + 1
end

-- Returns a template with each kind of value replaced with a random template of this kind. At depth 0, uses only
-- leaves.
---@param template string
---@param depth integer
---@return string
function Writer:fill(template, depth)
  return (template:gsub("%f[%w][NSCTAKFVL]%f[%W]", function(kind)
    local choice = self:pick(TEMPLATES[kind])
    while depth <= 0 and choice:find("%f[%w][NSCTAKF]%f[%W]") do
      choice = self:pick(TEMPLATES[kind])
    end
    return self:fill(choice, depth - 1)
  end))
end

-- Replaces all placeholders in a template of BLOCKS or LINES with random code, and returns the result.
---@param template string
---@param depth integer maximum nesting of blocks in the result
---@return string
function Writer:expand(template, depth)
  self.names = self.names + 1
  local x, y = "x" .. self.names, "y" .. self.names
  local function rename(text)
    return (text:gsub("%f[%w]X%f[%W]", x):gsub("%f[%w]y%f[%W]", y))
  end
  local text = rename(template):gsub("%f[%w]Q%f[%W]", function()
    return rename(self:pick(ANY_ORDER))
  end)
  return (self:fill(text, 2):gsub("%f[%w]Z%f[%W]", function()
    return self:block(depth - 1)
  end))
end

---@param depth integer
---@return string
function Writer:block(depth)
  local lines = {}
  for i = 1, self:number(3) do
    local is_block = depth > 0 and self:number(3) == 1
    lines[i] = is_block and self:expand(self:pick(BLOCKS), depth) or "do " .. self:expand(self:pick(LINES), 0) .. " end"
  end
  return table.concat(lines, "\n")
end

-- Returns the program with this number as Lua source. Its arguments are a function that clears a table, and a list for
-- its results.
---@param number integer
---@return string
function M.write(number)
  local w = setmetatable({ state = number * 7919 % 2147483647 + 17, names = 0 }, Writer)
  local lines = { HEAD, "for i = 1, " .. 20 + w:number(60) .. " do" }
  for _ = 1, 3 + w:number(4) do
    lines[#lines + 1] = w:number(2) == 1 and w:expand(w:pick(BLOCKS), 2) or w:block(1)
  end
  lines[#lines + 1] = "a, b, c, n = num(a) % 4096, num(b) % 4096, num(c) % 4096, num(n) % 4096"
  lines[#lines + 1] = "if #result > 400 then break end"
  lines[#lines + 1] = "end out(a, b, c, n, total, s, flag, #list, object.x)"
  return table.concat(lines, "\n")
end

return M
