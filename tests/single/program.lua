-- Random systems in single precision as trees and source texts. Each comparison occurs once in a body: the compiler
-- would drop a branch whose condition is already known, and with it the branch's effect on types.
local M = { ROWS = 277, SYSTEMS = 12 }

local SPECIAL = { 0 / 0, 1 / 0, -1 / 0, 0, -0, 1, -1, 0.5, -0.5, 0.3, 1.5, 2.5, 127.9, 255.5, 32768, 2 ^ 24 + 1,
  2147483647.5, -2147483649, 2 ^ 52, 2 ^ 63, 1e300, 1e-310, -4.9406564584124654e-324, 1.1754943508222875e-38, 1e-40,
  -1e-45, 3.4028234663852886e38, 3.5e38, math.pi, 1 / 3 }

function M.stream(seed)
  local state = seed * 7919 % 2147483647 + 1
  for _ = 1, 20 do
    state = state * 16807 % 2147483647
  end
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end

function M.any(pick)
  return pick(3) == 1 and SPECIAL[pick(#SPECIAL)] or (pick(2000001) - 1000001) / 8 ^ pick(7)
end

local COLUMNS = { "given.x", "given.y", "given.z", "given.x", "given.y", "given.d", "given.e", "given.i", "given.s",
  "given.u", "given.w", "result.f1", "result.f2", "result.d1", "result.l1", "result.u1" }
local OTHERS = { "given.x", "given.y", "given.z", "given.d", "given.i", "given.u", "given.w" }
local TARGETS = { "f1", "f2", "f3", "f1", "f2", "d1", "d2", "l1", "s1", "u1", "t1", "h1" }
local CONSTANTS = { 0, 1, -1, 2, 3, 0.5, -0.25, 0.1, 0.3, 10, 1e-3, 1e10, 16777217, 1 / 3, -3.5e38, 100, -7 }
local UNARY = { "neg", "floor", "ceil", "abs", "sqrt", "sin", "cos", "exp", "rad", "square", "tobit" }
local BINARY = { "add", "sub", "mul", "div", "add", "sub", "mul", "mod", "min", "max", "atan2", "pow", "band", "bxor",
  "lshift" }
local WHOLE_COLUMNS = { "given.i", "given.s", "given.u", "given.w", "result.l1", "result.u1" }
local WHOLE_CONSTANTS = { 0, 1, 2, 7, 64, 100, 255, 999, -1, -100, 100000 }
local IS_WHOLE = { l1 = true, s1 = true, u1 = true, t1 = true, h1 = true }
local COMPARE = { "lt", "le", "gt", "ge", "eq", "ne" }

local expression, whole

local function leaf(g)
  local pick = g.pick
  local kind = pick(10)
  if kind <= 2 then
    return { op = "const", v = CONSTANTS[pick(#CONSTANTS)] }
  elseif kind == 3 then
    return { op = ({ "dt", "tick", "single", "dt" })[pick(4)] }
  elseif g.reads_rows and kind >= 9 then -- the index of a loop over rows, or a column of the row with this index
    return pick(4) == 1 and { op = "index" } or { op = "other", name = OTHERS[pick(#OTHERS)] }
  elseif kind <= 5 and #g.locals > 0 then
    return { op = "local", name = g.locals[pick(#g.locals)] }
  end
  return { op = "column", name = COLUMNS[pick(#COLUMNS)] }
end

local write

-- Returns a comparison of two different values created by `make`, or nil if nine attempts give none that is new in the
-- body.
local function compared(g, depth, make)
  for _ = 1, 9 do
    local c = { op = COMPARE[g.pick(6)], a = make(g, depth), b = make(g, depth) }
    local x, y = write(c.a), write(c.b)
    local key = x < y and x .. y or y .. x
    if not g.compared[key] and x ~= y then
      g.compared[key] = true
      return c
    end
  end
  return nil
end

local NEVER = { op = "lt", a = { op = "tick" }, b = { op = "const", v = 0 } }

local function condition(g, depth)
  local pick = g.pick
  local kind = pick(6)
  if kind == 1 and depth > 0 then
    return { op = "not", a = condition(g, depth - 1) }
  elseif kind == 2 and depth > 0 then
    return { op = pick(2) == 1 and "and" or "or", a = condition(g, depth - 1), b = condition(g, depth - 1) }
  elseif kind == 3 and #g.flags > 0 then
    return { op = "column", name = table.remove(g.flags) }
  end
  return compared(g, math.max(depth - 1, 0), expression) or NEVER
end

-- Returns a random integer expression of the kind that games assign to fields: constants, columns, counters, selections
-- and clamps. The compiler evaluates such expressions in 32 bits where the values fit (compile/ranges.lua).
function whole(g, depth)
  local pick = g.pick
  local kind = pick(10)
  if depth == 0 or kind <= 2 then
    return pick(2) == 1 and { op = "column", name = WHOLE_COLUMNS[pick(#WHOLE_COLUMNS)] }
      or { op = "const", v = WHOLE_CONSTANTS[pick(#WHOLE_CONSTANTS)] }
  elseif kind <= 5 then
    return { op = pick(2) == 1 and "add" or "sub", a = whole(g, depth - 1), b = whole(g, depth - 1) }
  elseif kind == 6 then
    return { op = pick(2) == 1 and "min" or "max", a = whole(g, depth - 1), b = whole(g, depth - 1) }
  end
  local c = compared(g, pick(2) - 1, pick(3) == 1 and expression or whole)
  return c and { op = "choose", c = c, a = whole(g, depth - 1), b = whole(g, depth - 1) } or whole(g, 0)
end

function expression(g, depth)
  local pick = g.pick
  local kind = pick(20)
  if depth == 0 or kind <= 3 then
    return leaf(g)
  elseif kind <= 7 then
    return { op = UNARY[pick(#UNARY)], a = expression(g, depth - 1) }
  elseif kind <= 17 then
    return { op = BINARY[pick(#BINARY)], a = expression(g, depth - 1), b = expression(g, depth - 1) }
  elseif kind == 18 then
    return { op = "clamp", a = expression(g, depth - 1), b = leaf(g), c = expression(g, depth - 1) }
  end
  return { op = "choose", c = condition(g, depth - 1), a = expression(g, depth - 1), b = expression(g, depth - 1) }
end

-- --- statements: { op = "declare" | "set" | "store" | "if" | "loop", … }

local block

local function new_local(g)
  g.count = g.count + 1
  return "v" .. g.count
end

local function statement(g, depth)
  local pick = g.pick
  local kind = pick(12)
  if kind <= 3 then
    local v = expression(g, 2)
    g.locals[#g.locals + 1] = new_local(g)
    return { op = "declare", name = g.locals[#g.locals], v = v }
  elseif kind == 4 and #g.locals > 0 then
    local name = g.locals[pick(#g.locals)]
    return { op = "set", name = name, v = expression(g, 2) }
  elseif kind <= 7 and depth > 0 then
    return { op = "if", c = condition(g, 1), yes = block(g, depth - 1),
      no = pick(2) == 1 and block(g, depth - 1) or {} }
  elseif kind == 8 and depth > 0 and #g.locals > 0 and not g.in_loop then
    local stop = not g.each and ({ "%d", "math.min(q.count, %d)", "math.min(%d, q.count)" })[pick(3)]
    g.in_loop, g.reads_rows = true, stop
    local rounds, body = pick(stop and 7 or 4) - 1, block(g, depth - 1)
    g.in_loop, g.reads_rows = false, false
    return { op = "loop", rounds = rounds, body = body, stop = stop or "%d" }
  elseif kind == 9 then
    return { op = "store", name = "b" .. pick(2), v = condition(g, 1) }
  end
  local name = TARGETS[pick(#TARGETS)]
  if g.in_loop then -- in a loop, the compiler rejects stores of numbers that may not fit
    name = ({ "f1", "f2", "f3", "d1", "d2" })[pick(5)]
  end
  if IS_WHOLE[name] and pick(2) == 1 then
    return { op = "store", name = name, v = whole(g, 2) }
  end
  return { op = "store", name = name, v = expression(g, 1 + pick(2)) }
end

function block(g, depth)
  local out, before = {}, #g.locals
  for i = 1, g.pick(3) do
    out[i] = statement(g, depth)
  end
  while #g.locals > before do
    table.remove(g.locals)
  end
  return out
end

---@return table program { body, sums, each }
function M.make(number)
  local pick = M.stream(require("seed") * 100 + number)
  local g = { pick = pick, locals = {}, flags = { "given.p", "given.q" }, compared = {}, count = 0 }
  g.each = number % 3 == 0
  local program = { each = g.each, mapped = number % 4 == 1, sums = {} }
  if not program.each and pick(2) == 1 then -- the program has loop-carried values
    program.sums = { "s1", "s2" }
    g.locals = { "s1", "s2" }
  end
  program.body = {}
  for i = 1, 3 + pick(5) do
    program.body[i] = statement(g, 2)
  end
  for i, name in ipairs(program.sums) do
    program.body[#program.body + 1] = { op = "set", name = name, v = expression(g, 2) }
    program.body[#program.body + 1] = { op = "store", name = "d" .. i, v = { op = "local", name = name } }
  end
  program.body[#program.body + 1] = { op = "store", name = "f1", v = expression(g, 2) }
  program.body[#program.body + 1] = { op = "store", name = ({ "l1", "s1", "u1", "t1", "h1" })[pick(5)],
    v = { op = "choose", c = compared(g, 0, whole) or NEVER, a = whole(g, 0), b = whole(g, 0) } }
  return program
end

-- --- texts

local FORM = { neg = "-(%s)", floor = "math.floor(%s)", ceil = "math.ceil(%s)", abs = "math.abs(%s)",
  sqrt = "math.sqrt(%s)", sin = "math.sin(%s)", cos = "math.cos(%s)", exp = "math.exp(%s)", rad = "math.rad(%s)",
  square = "((%s) ^ 2)", tobit = "bit.tobit(%s)", add = "(%s + %s)", sub = "(%s - %s)", mul = "(%s * %s)",
  div = "(%s / %s)", mod = "(%s %% %s)", min = "math.min(%s, %s)", max = "math.max(%s, %s)",
  atan2 = "math.atan2(%s, %s)", pow = "((%s) ^ %s)", band = "bit.band(%s, %s)", bxor = "bit.bxor(%s, %s)",
  lshift = "bit.lshift(%s, %s)", clamp = "shoal.math.clamp(%s, %s, %s)", lt = "(%s < %s)", le = "(%s <= %s)",
  gt = "(%s > %s)", ge = "(%s >= %s)", eq = "(%s == %s)", ne = "(%s ~= %s)", ["not"] = "not (%s)",
  ["and"] = "(%s and %s)", ["or"] = "(%s or %s)" }

function write(e, each)
  if e.op == "const" then
    return ("(%.17g)"):format(e.v)
  elseif e.op == "dt" then
    return "dt"
  elseif e.op == "tick" then
    return "world.tick"
  elseif e.op == "single" then
    return "world.single.some.n"
  elseif e.op == "local" then
    return e.name
  elseif e.op == "index" then
    return "k"
  elseif e.op == "other" then
    return ("q.%s[k]"):format(e.name)
  elseif e.op == "column" then
    return each and "e." .. e.name or "q." .. e.name .. "[i]"
  elseif e.op == "choose" then
    return ("(%s and %s or %s)"):format(write(e.c, each), write(e.a, each), write(e.b, each))
  end
  return FORM[e.op]:format(write(e.a, each), e.b and write(e.b, each), e.c and write(e.c, each))
end

local function write_block(list, each, out, indent)
  for _, s in ipairs(list) do
    local v = s.v and write(s.v, each)
    if s.op == "if" then
      out[#out + 1] = ("%sif %s then"):format(indent, write(s.c, each))
      write_block(s.yes, each, out, indent .. "  ")
      out[#out + 1] = indent .. "else"
      write_block(s.no, each, out, indent .. "  ")
      out[#out + 1] = indent .. "end"
    elseif s.op == "loop" then
      out[#out + 1] = ("%sfor k = 1, %s do"):format(indent, s.stop:format(s.rounds))
      write_block(s.body, each, out, indent .. "  ")
      out[#out + 1] = indent .. "end"
    elseif s.op == "store" then
      out[#out + 1] = indent .. write({ op = "column", name = "result." .. s.name }, each) .. " = " .. v
    else
      out[#out + 1] = ("%s%s%s = %s"):format(indent, s.op == "declare" and "local " or "", s.name, v)
    end
  end
end

function M.text(program)
  local out = {}
  write_block(program.body, program.each, out, "    ")
  local body = table.concat(out, "\n")
  if program.each then
    return ("return function(e, dt)\n%s\nend"):format(body)
  end
  return ("return function(q, dt)\n  %s\n  for i = 1, q.count do\n%s\n  end\nend"):format(
    #program.sums > 0 and "local s1, s2 = 0, 0.3" or "", body)
end

function M.system(number)
  local program = M.make(number)
  local text = M.text(program)
  return { priority = number * 3 + 1, precision = "single",
    query = program.mapped and { "given", "extra", "result" } or { "given", "result" },
    [program.each and "each" or "update"] = assert(load(text, "=single " .. number))() }
end

return M
