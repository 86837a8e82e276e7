-- Random programs as source texts: loops, lists, strings, closures and rare branches over special numbers. All programs
-- terminate. Their lists have no holes, because the length of such a list is undefined. `pick(n)` returns a random
-- integer from 1 to n. Pure Lua: luajit -e 'print(dofile("tests/programs/program.lua").numbered(7))' prints one.
local M = {}

local LITERALS = { "0", "(-0)", "1", "(-1)", "2", "3", "0.5", "(-0.5)", "1.5", "(-7)", "10", "(0/0)", "(1/0)", "(-1/0)",
  "2^31", "(-2^31)", "(2^31 - 1)", "2^32", "2^53", "1e300", "255", "0.1", "(-0.3)", "2.5", "5e-324" }

-- N: a number, V: a variable, L: a literal, S: a string, T: a list, F: a function, C: a condition
local LEAVES = { "V", "V", "V", "L", "#T", "#S" }
local NUMBERS = { "V", "L", "#T", "#S", "(N + N)", "(N - N)", "(N + N)", "(N - N)", "(N * N)", "(N / N)", "(N % N)",
  "(-N)", "(-N)", "bit.band(N, N)", "bit.bxor(N, N)", "bit.lshift(N, N)", "bit.arshift(N, N)", "bit.tobit(N)",
  "math.floor(N)", "math.ceil(N)", "math.abs(N)", "math.max(N, N)", "math.min(N, N)", "math.fmod(N, N)",
  "(string.byte(S, N) or N)", "select('#', string.byte(S, N, N))", "(string.find(S, 'a', N, true) or N)",
  "(string.find(S, S, N, true) or N)", "(T[N] or N)", "(hash[N] or N)", "(hash.x or N)", "both.x", "#both.p", "#both.q",
  "(both.p[N] or N)", "(C and N or N)", "(tonumber(S) or N)", "F(N, N)", "(select(2, N, N, N))", "({ N, N, x = N })[1]",
  "({ 1, 2, x = N }).x", "(({ x = C }).x and N or N)", "(flag.x and N or N)" }
local TEXTS = { "s", "t", "s", "t", "'abcab'", "''", "'0x10'", "string.sub(S, N, N)", "string.sub(S, N, N)",
  "string.sub(S, N)", "cut(S .. S)", "cut(S .. text(N))", "cut(string.rep(S, small(N)))", "string.format('%d', N)",
  "string.format('%5.1f', small(N))", "(string.match(S, '[ab]+', N) or S)", "(string.match(S, '^.(.*).$') or S)",
  "string.char(small(N) + 97)", "string.upper(S)", "string.reverse(S)" }
local CONDITIONS = { "N < N", "N <= N", "N > N", "N >= N", "N == N", "N ~= N", "S == S", "n % 7 == 3", "n % 11 == 2",
  "flag.x", "not T[N]" }

-- @: a list, the same throughout the line; I: a new variable; B: a block
local LINES = { "V = N", "V = N", "V = N", "V = N", "V = N", "V = N", "s = cut(S)", "t = cut(S)", "out(N)", "out(S)",
  "push(@, N)", "push(both.p, N)", "do local v = N if #@ < 20 then @[#@ + 1] = v end end",
  "do local v = N if #@ > 0 then @[small(v) % #@ + 1] = v end end",
  "do local v = N if #@ < 20 then table.insert(@, small(v) % (#@ + 1) + 1, v) end end", "V = table.remove(@) or 0",
  "hash[key(N)] = N", "hash.x = N", "both.x = N", "both.p = T", "both.q = @", "@ = T", "@ = both.p", "@ = {}",
  "@ = { 1, 2 }", "flag = { x = true }", "flag = { x = false }", "flag = { x = C }", "flag = { x = 'yes' }" }
local BLOCKS = { "if C then B end", "if C then B else B end", "if C then B end", "for I = 1, 5 do BURN B end",
  "for I = bound(N), bound(N) do BURN B end", "for I = -bound(N), #T do BURN B end",
  "for I = bound(N), bound(N), -1 do BURN B end", "for I = bound(N), bound(N), bound(N) do BURN B end",
  "for I = #T, 1, -1 do BURN B end", "while C do BURN B end", "repeat BURN B until C",
  "for _, I in ipairs(T) do BURN B end" }
local BURN, BURNED = "fuel = fuel - 1 if fuel < 0 then break end", "fuel = fuel - 1 if fuel < 0 then return 0 end"

---@class programs.writer
---@field pick fun(n: integer): integer
---@field names string[] variables that are numbers
---@field functions string[]
---@field count integer loops so far
local Writer = {}
Writer.__index = Writer

function Writer:one(list)
  return list[self.pick(#list)]
end

function Writer:of(list, leaves, depth)
  return self:expand(depth > 0 and self:one(list) or self:one(leaves), depth - 1)
end

local MAKE = {
  N = function(w, depth) return w:of(NUMBERS, LEAVES, depth) end,
  S = function(w, depth) return w:of(TEXTS, { "s", "t" }, depth) end,
  C = function(w, depth) return w:of(CONDITIONS, { "n % 5 == 0" }, depth) end,
  V = function(w) return w:one(w.names) end,
  T = function(w) return w:one { "p", "q", "r" } end,
  L = function(w) return w:one(LITERALS) end,
  F = function(w) return w:one(w.functions) end,
}

function Writer:block(depth)
  local lines = {}
  for i = 1, self.pick(3) do
    lines[i] = self:expand(self.pick(3) == 1 and depth > 0 and self:one(BLOCKS) or self:one(LINES), depth)
  end
  return table.concat(lines, "\n")
end

-- Replaces the placeholders of a template. The variable of a loop is visible only in the loop's block.
function Writer:expand(template, depth)
  local variable
  local text = template:gsub("@", MAKE.T(self)):gsub("%f[%w]I%f[%W]", function()
    self.count = self.count + 1
    variable = "i" .. self.count
    return variable
  end)
  text = text:gsub("%f[%w]([NSCVTLF])%f[%W]", function(what) return MAKE[what](self, depth) end)
  return (text:gsub("%f[%w]B%f[%W]", function()
    local outer = #self.names
    self.names[outer + 1] = variable
    local inside = self:block(depth - 1)
    self.names[outer + 1] = nil
    return inside
  end))
end

-- Returns the source of function `i`, which may call earlier functions.
function Writer:function_text(i)
  self.names = { "u", "x", "y" }
  local text = ("local function f%d(x, y) local n = x %s\n%s\n%s end"):format(i, BURNED, self:block(1),
    self:expand("return N", 2))
  self.functions[#self.functions + 1] = "f" .. i
  return text
end

function M.random(pick)
  local w = setmetatable({ pick = pick, names = {}, functions = { "id" }, count = 0 }, Writer)
  local out = { "local out, cut, small, bound, key, text, push = ...",
    w:expand("local u, s, t, fuel, flag = L, 'abcab', 'ba', 3000, { x = 1 }", 0),
    "local p, q, r, hash = { 1, 2, 3 }, {}, { 0.5 }, { x = 1 }", "local both = { p = p, q = q, x = 0 }",
    "local function id(x, y) return y end", w:function_text(1), w:function_text(2),
    "local function turn(n, a, b, c, d)" }
  w.names = { "a", "b", "c", "d", "u" }
  for _ = 1, 4 + pick(4) do
    out[#out + 1] = w:expand(pick(2) == 1 and w:one(BLOCKS) or w:one(LINES), 3)
  end
  out[#out + 1] = "return a, b, c, d end"
  out[#out + 1] = w:expand("local a, b, c, d = L, L, L, L for n = 0, " .. 60 + pick(90) .. " do", 0)
  out[#out + 1] = "fuel = 300 a, b, c, d = turn(n, a, b, c, d)"
  out[#out + 1] = "out(a) out(b) out(c) out(d) out(u) out(s) out(t) out(#p) out(#q) out(#r)"
  out[#out + 1] = w:expand("if n % 9 == 4 then a, b, c = L, L, n end end", 0)
  return (table.concat(out, "\n"):gsub("BURN", BURN))
end

-- Returns the program with this number; the same number always gives the same program.
function M.numbered(number)
  local state = (number * 7919 + 17) % 2147483647 + 1
  return M.random(function(n)
    state = state * 16807 % 2147483647
    return math.floor(state / 11) % n + 1
  end)
end

return M
