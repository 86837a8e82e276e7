-- Reference evaluator for systems in single precision: evaluates the trees of program.lua row by row, independently
-- of the compiler. A value is { kind, v }; an untyped one is { kind = "free", at }, where at(kind) returns it in f32
-- or f64. Both branches of a condition are evaluated, because the result has the type of both.
local program = require("program")

local M = {}

-- Rounds to f32 by storing the value in a column.
local function rounded(v)
  local cell = world.single.cell
  cell.v = v
  return cell.v
end

local function of(kind, v)
  return { kind = kind, v = kind == "f32" and rounded(v) or v }
end

-- Returns an integer that the compiler keeps in 32 bits: the value of an integer column up to i32, or a result of
-- `bit`.
local function small(v)
  return { kind = "whole", v = v, small = true }
end

local function truth(v, known)
  return { kind = "bool", v = v, known = known }
end

local function constant(v)
  return { kind = "free", known = true, v = v, whole = v % 1 == 0 and math.abs(v) < 2 ^ 31,
    at = function(kind) return kind == "f32" and rounded(v) or v end }
end

local function free(f)
  return { kind = "free", at = function(kind) return kind == "f32" and rounded(f(kind)) or f(kind) end }
end

-- Converts a number to a type.
local function as(x, kind)
  if x.kind == "free" then
    return x.at(kind == "f32" and "f32" or "f64")
  end
  return kind == "f32" and rounded(x.v) or x.v
end

local function meet(a, b, chosen)
  local x, y = a.kind, b.kind
  if x == "f64" or y == "f64" then
    return "f64"
  elseif x == "f32" or y == "f32" then
    return "f32"
  elseif x == "free" and y == "free" then
    return "free"
  end
  local other = x == "whole" and b or a
  return chosen and (other.kind == "whole" or other.whole) and "whole" or "f64"
end

local OPERATION = {
  add = function(a, b) return a + b end, sub = function(a, b) return a - b end, mul = function(a, b) return a * b end,
  div = function(a, b) return a / b end,
}

local function arithmetic(op, a, b)
  local kind, f = meet(a, b), OPERATION[op]
  if a.known and b.known then
    return constant(f(a.v, b.v))
  elseif kind == "free" then
    return free(function(k) return f(a.at(k), b.at(k)) end)
  end
  kind = kind == "f32" and "f32" or "f64"
  return of(kind, f(as(a, kind), as(b, kind)))
end

local UNARY = { neg = function(v) return -v end, floor = math.floor, ceil = math.ceil, abs = math.abs,
  sqrt = math.sqrt }

local function unary(op, a)
  local f = UNARY[op]
  if a.known then
    return constant(f(a.v))
  elseif a.kind == "free" then
    return free(function(k) return f(a.at(k)) end)
  elseif a.kind == "whole" and (op == "floor" or op == "ceil") then
    return a
  end
  return of(a.kind == "f32" and "f32" or "f64", f(a.v))
end

-- Applies sin or a similar function: computes it in f64, and rounds the result if the arguments are f32.
local function exact(f, a, b)
  local kind = b and meet(a, b) or a.kind
  if kind == "free" then
    return free(function(k) return f(a.at(k), b and b.at(k)) end)
  end
  kind = kind == "f32" and "f32" or "f64"
  return of(kind, f(as(a, kind), b and as(b, kind)))
end

local COMPARE = { lt = function(a, b) return a < b end, le = function(a, b) return a <= b end,
  eq = function(a, b) return a == b end }

-- Returns the result of comparing a 32-bit integer with a constant if it does not depend on the integer, as far as the
-- compiler detects this: equality with a constant that is not a 32-bit integer, and constants below -2^31. Returns nil
-- for other comparisons.
local function known_result(op, a, b)
  local fixed, other = a.known and a or b, a.known and b or a
  if not fixed.known or not other.small or fixed.v ~= fixed.v or fixed.whole then
    return nil
  elseif op == "eq" then
    return false
  end
  if fixed.v < -2 ^ 31 then
    return fixed == a
  end
end

local function compare(op, a, b)
  if a.known and b.known then
    return truth(COMPARE[op](a.v, b.v), true)
  end
  local result = known_result(op, a, b)
  if result ~= nil then
    return truth(result, true)
  end
  local kind = meet(a, b, true)
  kind = kind == "free" and "f64" or kind
  return truth(COMPARE[op](as(a, kind), as(b, kind)))
end

local function choose(c, a, b)
  if a == b or c.known then
    return (a == b or c.v) and a or b
  elseif a.kind == "bool" then
    return truth((c.v and a or b).v)
  end
  local kind, chosen = meet(a, b, true), b
  if c.v then
    chosen = a
  end
  if kind == "free" then
    return { kind = "free", whole = a.whole and b.whole, at = chosen.at }
  elseif (a.small or a.whole) and (b.small or b.whole) then
    return small(as(chosen, kind))
  end
  return of(kind, as(chosen, kind))
end

local function extreme(op, a, b)
  return choose(op == "max" and compare("lt", b, a) or compare("lt", a, b), a, b)
end

local function modulo(a, b)
  if a.known and b.known then
    return constant(a.v % b.v)
  elseif meet(a, b) == "f64" or meet(a, b) == "whole" then
    return of("f64", as(a, "f64") % as(b, "f64"))
  end
  return arithmetic("sub", a, arithmetic("mul", unary("floor", arithmetic("div", a, b)), b))
end

local function both(a, b)
  return truth(a.v and b.v, a.known and b.known or a.known and not a.v or b.known and not b.v)
end

local function bits(f, a, b)
  return small(f(as(a, "f64"), b and as(b, "f64")))
end

-- --- trees

local value
local KINDS = { x = "f32", y = "f32", z = "f32", d = "f64", e = "f64", f = "f32", p = "bool", q = "bool", b = "bool" }

local function given(q, name, i)
  return { kind = KINDS[name] or "whole", v = q.given[name][i], small = not KINDS[name] and name ~= "w" }
end

local DO = {
  const = function(e) return constant(e.v) end,
  dt = function(_, r) return free(function() return r.dt end) end,
  tick = function() return of("whole", world.tick) end,
  single = function() return free(function() return world.single.some.n end) end,
  ["local"] = function(e, r) return r.locals[e.name] end,
  column = function(e, r) return r.columns[e.name] end,
  index = function(_, r) return of("whole", r.k) end,
  other = function(e, r) return given(r.q, e.name:match("%.(.*)"), r.k) end,
  mod = function(e, r) return modulo(value(e.a, r), value(e.b, r)) end,
  rad = function(e, r) return arithmetic("mul", value(e.a, r), constant(math.pi / 180)) end,
  square = function(e, r) return arithmetic("mul", value(e.a, r), value(e.a, r)) end,
  tobit = function(e, r) return bits(bit.tobit, value(e.a, r)) end,
  clamp = function(e, r) return extreme("min", extreme("max", value(e.a, r), value(e.b, r)), value(e.c, r)) end,
  gt = function(e, r) return compare("lt", value(e.b, r), value(e.a, r)) end,
  ge = function(e, r) return compare("le", value(e.b, r), value(e.a, r)) end,
  ["not"] = function(e, r)
    local a = value(e.a, r)
    return truth(not a.v, a.known)
  end,
  pow = function(e, r)
    local a, b = value(e.a, r), value(e.b, r)
    if a.known and b.known then
      return constant(a.v ^ b.v) -- LuaJIT's parser folds constant powers
    elseif b.known and b.v == 1 then
      return a
    elseif b.known and b.v == 2 then
      return arithmetic("mul", a, a)
    end
    return exact(function(x, y) return x ^ y end, a, b)
  end,
}
for op in pairs(OPERATION) do
  DO[op] = function(e, r) return arithmetic(op, value(e.a, r), value(e.b, r)) end
end
for op in pairs(UNARY) do
  DO[op] = function(e, r) return unary(op, value(e.a, r)) end
end
for op in pairs(COMPARE) do
  DO[op] = function(e, r) return compare(op, value(e.a, r), value(e.b, r)) end
end
function DO.ne(e, r)
  local same = compare("eq", value(e.a, r), value(e.b, r))
  return truth(not same.v, same.known)
end
for _, op in ipairs { "sin", "cos", "exp" } do
  DO[op] = function(e, r) return exact(math[op], value(e.a, r)) end
end
function DO.atan2(e, r) return exact(math.atan2, value(e.a, r), value(e.b, r)) end
for _, op in ipairs { "min", "max" } do
  DO[op] = function(e, r) return extreme(op, value(e.a, r), value(e.b, r)) end
end
for _, op in ipairs { "band", "bxor", "lshift" } do
  DO[op] = function(e, r) return bits(bit[op], value(e.a, r), value(e.b, r)) end
end
DO["and"] = function(e, r)
  return both(value(e.a, r), value(e.b, r))
end
DO["or"] = function(e, r)
  local a, b = value(e.a, r), value(e.b, r)
  return truth(a.v or b.v, a.known and b.known or a.known and a.v or b.known and b.v)
end

function value(e, r)
  return DO[e.op](e, r)
end

-- Appends the paths through nested choices, in the order of their code. Path i is taken if its condition is the first
-- that holds.
local function add_paths(paths, e, condition, r)
  if e.op ~= "choose" then
    paths[#paths + 1] = { c = condition, v = value(e, r) }
    return
  end
  add_paths(paths, e.a, both(condition, value(e.c, r)), r)
  add_paths(paths, e.b, condition, r)
end

-- Evaluates a choice. Values of paths that meet at one point adopt their common type one by one, in the order of the
-- paths: in `c and a or (d and b or x)` and in `c and (d and a or b) or x`, a meets b, then both meet x.
function DO.choose(e, r)
  local paths = {}
  add_paths(paths, e, truth(true, true), r)
  return (M.meet_paths(paths, choose))
end

-- Returns the value of the first path whose condition holds. merge_two(taken, a, b) merges the values of two paths.
function M.meet_paths(paths, merge_two)
  local out, taken
  for _, path in ipairs(paths) do
    local is_skipped = path.c.known and not path.c.v
    if not is_skipped and out == nil then
      out, taken = path.v, path.c.v
    elseif not is_skipped then
      out, taken = merge_two(truth(taken), out, path.v), taken or path.c.v
    end
    if path.c.known and path.c.v then
      break
    end
  end
  return out
end

-- --- statements

local RANGES = { l = { -2147483648, 2147483647 }, s = { -32768, 32767 }, u = { 0, 255 }, t = { -128, 127 },
  h = { 0, 65535 } }

local function stored(name, v)
  local range = RANGES[name:sub(1, 1)]
  if v.kind == "bool" then
    return truth(v.v)
  elseif name:sub(1, 1) == "f" or name:sub(1, 1) == "d" then
    local kind = name:sub(1, 1) == "f" and "f32" or "f64"
    return of(kind, as(v, kind))
  end
  local x = as(v, "f64")
  x = x ~= x and 0 or math.max(math.min(x, range[2]), range[1])
  return small((x < 0 and -math.floor(-x) or math.floor(x)) + 0) -- 0 instead of -0
end

local function copy(t)
  local out = {}
  for k, v in pairs(t) do
    out[k] = v
  end
  return out
end

local run

-- Merges the values of two branches: each result is the value from the branch taken, in the common type of both.
local function merge(c, a, b)
  local to = {}
  for k, x in pairs(a) do
    if b[k] ~= nil then
      to[k] = choose(c, x, b[k])
    end
  end
  return to
end

local function merge_states(c, a, b)
  return { dt = a.dt, q = a.q, k = a.k,
    locals = merge(c, a.locals, b.locals), columns = merge(c, a.columns, b.columns) }
end

-- Runs the branches of an `if` and appends them to `paths`. The branches of an `if` at the end of its `else` (elseif)
-- are appended to the same list, because they end at the same point.
local function run_branches(s, r, paths)
  local function copy_of_state()
    return { dt = r.dt, q = r.q, k = r.k, locals = copy(r.locals), columns = copy(r.columns) }
  end
  local yes, no, last = copy_of_state(), copy_of_state(), s.no[#s.no]
  paths[#paths + 1] = { c = value(s.c, r), v = yes }
  run(s.yes, yes)
  if last and last.op == "if" then
    run(s.no, no, #s.no - 1)
    run_branches(last, no, paths)
  else
    run(s.no, no)
    paths[#paths + 1] = { c = truth(true, true), v = no }
  end
end

local RANK = { free = 1, whole = 2, f32 = 3, f64 = 4 }
local function join(x, y)
  return RANK[x] >= RANK[y] and x or y
end

local function coerced(x, kind)
  if kind == "free" or x.kind == "bool" then
    return x
  end
  return of(kind, as(x, kind))
end

-- Converts a value that is assigned to a local in a loop to the type of the local. An untyped value keeps its f64 value
-- and adopts the type of the operands it is used with.
local function in_rounds(x, kind)
  if kind == "free" then
    local v = as(x, "f64")
    return { kind = "free", at = function(k) return k == "f32" and rounded(v) or v end }
  end
  return coerced(x, kind)
end

-- Returns the kinds of the locals that `body` changes.
local function kinds_of(r, names, body)
  local kinds = {}
  for name in pairs(names) do
    kinds[name] = r.locals[name].kind
  end
  for _ = 1, 6 do
    local trial = { dt = r.dt, q = r.q, k = r.k, locals = copy(r.locals), columns = copy(r.columns) }
    for name, kind in pairs(kinds) do
      trial.locals[name] = in_rounds(trial.locals[name], kind)
    end
    run(body, trial)
    for name, kind in pairs(kinds) do
      kinds[name] = join(kind, trial.locals[name].kind)
    end
  end
  return kinds
end

local function assigned(body, known, out)
  for _, s in ipairs(body) do
    if s.op == "set" and known[s.name] then
      out[s.name] = true
    end
    for _, inner in ipairs { s.yes or {}, s.no or {}, s.body or {} } do
      assigned(inner, known, out)
    end
  end
  return out
end

local function loop(s, r)
  r.k = 1
  local kinds = kinds_of(r, assigned(s.body, r.locals, {}), s.body)
  for name, kind in pairs(kinds) do
    r.locals[name] = in_rounds(r.locals[name], kind)
  end
  for round = 1, s.rounds do
    r.k = round
    local locals = copy(r.locals)
    run(s.body, r)
    for name in pairs(locals) do
      locals[name] = kinds[name] and in_rounds(r.locals[name], kinds[name]) or locals[name]
    end
    r.locals = locals
  end
end

function run(list, r, count)
  for i = 1, count or #list do
    local s = list[i]
    if s.op == "if" then
      local before, paths = r.locals, {}
      run_branches(s, r, paths)
      local after = M.meet_paths(paths, merge_states)
      r.columns, r.locals = after.columns, {}
      for name, v in pairs(after.locals) do
        r.locals[name] = before[name] and v or nil
      end
    elseif s.op == "loop" then
      loop(s, r)
    elseif s.op == "store" then
      r.columns["result." .. s.name] = stored(s.name, value(s.v, r))
    else
      r.locals[s.name] = value(s.v, r)
    end
  end
end

-- --- rows

local function row_of(q, i)
  local columns = {}
  for _, name in ipairs(M.GIVEN) do
    columns["given." .. name] = given(q, name, i)
  end
  for _, name in ipairs(M.RESULTS) do
    local kind = KINDS[name:sub(1, 1)]
    columns["result." .. name] = { kind = kind or "whole", v = q.result[name][i], small = not kind }
  end
  return columns
end

M.GIVEN = { "x", "y", "z", "d", "e", "i", "s", "u", "w", "p", "q" }
M.RESULTS = { "f1", "f2", "f3", "d1", "d2", "l1", "s1", "u1", "t1", "h1", "b1", "b2" }

local function sums_of(made, q, dt)
  local r = { dt = dt, q = q, locals = { s1 = constant(0), s2 = constant(0.3) }, columns = row_of(q, 1) }
  r.locals.s1, r.locals.s2 = in_rounds(r.locals.s1, "free"), in_rounds(r.locals.s2, "free")
  return kinds_of(r, assigned(made.body, r.locals, {}), made.body), r.locals
end

-- Writes the expected values of each row to `wanted`.
function M.evaluate(number)
  local made = program.make(number)
  return { priority = number * 3,
    query = made.mapped and { "given", "extra", "result", "wanted" } or { "given", "result", "wanted" },
    update = function(q, dt)
      local kinds, locals = {}, {}
      if #made.sums > 0 and q.count > 0 then
        kinds, locals = sums_of(made, q, dt)
        for name, kind in pairs(kinds) do
          locals[name] = in_rounds(locals[name], kind)
        end
      end
      for i = 1, q.count do
        local r = { dt = dt, q = q, locals = copy(locals), columns = row_of(q, i) }
        run(made.body, r)
        for name, kind in pairs(kinds) do
          locals[name] = in_rounds(r.locals[name], kind)
        end
        for _, name in ipairs(M.RESULTS) do
          q.wanted[name][i] = r.columns["result." .. name].v
        end
      end
    end }
end

local function is_same(a, b)
  return a == b and (type(a) == "boolean" or a ~= 0 or 1 / a == 1 / b) or a ~= a and b ~= b
end

function M.compare(number)
  local made = program.make(number)
  return { priority = number * 3 + 2,
    query = made.mapped and { "given", "extra", "result", "wanted" } or { "given", "result", "wanted" },
    update = function(q)
      for i = 1, q.count do
        for _, name in ipairs(M.RESULTS) do
          local got, wanted = q.result[name][i], q.wanted[name][i]
          if not is_same(got, wanted) then
            error(("system %d, row %d: %s is %s and not %s:\n%s"):format(number, i, name,
              type(got) == "number" and ("%.17g"):format(got) or tostring(got),
              type(wanted) == "number" and ("%.17g"):format(wanted) or tostring(wanted), program.text(made)))
          end
        end
      end
    end }
end

return M
