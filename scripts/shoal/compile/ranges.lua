-- What is known of whole numbers where a row has come a certain way: of `total = c.attack[i] - c.defence[i]`, behind
-- `total > 0`, that it is 1 at least. A column that is given such a number then needs no question whether it fits, and
-- no row of it is left to Lua. All of it is calculated when it is asked for: nodes know nothing of ways.
local need = ...
local ir = need("compile/ir")
local single = need("compile/single")

---@class engine.ranges
local M = {}

local EXACT = 2 ^ 53 -- f64 has all whole numbers below, and what comes out as this one may have been rounded
local MAX_FACTS, STEPS_BETWEEN_PAUSES = 64, 64
-- How deep is looked into a number, and into what it was compared with: a part is looked at again for each use.
local MAX_DEPTH, MAX_DEPTH_OF_FACTS = 6, 2

-- The number itself, where it was only written in another type.
local function bare(n)
  return n.op == "widen" and n.a or n
end

local function is_whole(n)
  return n.t == "i32" or n.op == "const" and n.t ~= "bool" and n.v % 1 == 0 and math.abs(n.v) <= EXACT
end

local of_any

-- What a truth says, or that it is not so: a < b, or a <= b. Turned round it is that of whole numbers alone, for among
-- others there may be NaN; but it is of use for whole numbers alone.
-- (A truth is looked at once, however often others have it as a part.)
local function add_fact(facts, n, is_not)
  local seen = is_not and -n.id or n.id
  if facts.seen[seen] or #facts >= MAX_FACTS then
    return
  end
  facts.seen[seen] = true
  if n.op == "not" then
    add_fact(facts, n.a, not is_not)
  elseif n.op == (is_not and "or" or "and") then
    add_fact(facts, n.a, is_not)
    add_fact(facts, n.b, is_not)
  elseif n.op == "lt" or n.op == "le" then
    local a, b, by = bare(n.a), bare(n.b), n.op == "lt" and 1 or 0
    facts[#facts + 1] = is_not and { a = b, b = a, by = 1 - by } or { a = a, b = b, by = by }
  elseif n.op == "eq" and n.a.t ~= "bool" and not is_not then
    local a, b = bare(n.a), bare(n.b)
    facts[#facts + 1], facts[#facts + 2] = { a = a, b = b, by = 0 }, { a = b, b = a, by = 0 }
  end
end

local function with_fact(facts, n, is_not)
  local out = { seen = setmetatable({}, { __index = facts.seen }) }
  for i, fact in ipairs(facts) do
    out[i] = fact
  end
  add_fact(out, n, is_not)
  return out
end

-- Of a sum or a difference: { op, a, b }; nil of anything else
local function sum_of(n)
  local s = n.source or (n.op == "add" or n.op == "sub") and n.t == "i32" and { n.op, n.a, n.b }
  return s and (s[1] == "add" or s[1] == "sub") and s or nil
end

-- By what it is made of: lo, hi; nil where it may be no whole number.
local function by_parts(n, facts, depth)
  local s = sum_of(n)
  if n.op == "widen" then
    return of_any(n.a, facts, depth - 1)
  elseif n.op == "choose" then
    local a_lo, a_hi = of_any(n.a, with_fact(facts, n.c), depth - 1)
    local b_lo, b_hi = of_any(n.b, with_fact(facts, n.c, true), depth - 1)
    if a_lo and b_lo then
      return math.min(a_lo, b_lo), math.max(a_hi, b_hi)
    end
  elseif s then
    local a_lo, a_hi = of_any(s[2], facts, depth - 1)
    local b_lo, b_hi = of_any(s[3], facts, depth - 1)
    if a_lo and b_lo then
      if s[1] == "sub" then
        b_lo, b_hi = -b_hi, -b_lo
      end
      return a_lo + b_lo, a_hi + b_hi
    end
  end
  return nil
end

local function by_itself(n, facts, depth)
  if n.op ~= "const" and depth > 0 then
    local lo, hi = by_parts(n, facts, depth)
    if n.t ~= "i32" then
      return lo, hi
    end
    return math.max(n.lo, lo or n.lo), math.min(n.hi, hi or n.hi)
  elseif n.t == "i32" then
    return n.lo, n.hi
  elseif is_whole(n) then
    return n.v, n.v
  end
  return nil
end

local steps, NO_FACTS = 0, { seen = {} }

function of_any(n, facts, depth)
  steps = steps + 1
  if steps % STEPS_BETWEEN_PAUSES == 0 then
    ir.pause()
  end
  local lo, hi = by_itself(n, facts, depth)
  if not lo or math.abs(lo) >= EXACT or math.abs(hi) >= EXACT then
    return nil
  end
  local s, x = sum_of(n), bare(n)
  for _, fact in ipairs(facts) do
    if s and s[1] == "sub" and bare(s[2]) == fact.b and bare(s[3]) == fact.a then
      lo = math.max(lo, fact.by)
    elseif s and s[1] == "sub" and bare(s[2]) == fact.a and bare(s[3]) == fact.b then
      hi = math.min(hi, -fact.by)
    elseif fact.a == x and fact.b ~= x and depth > 0 then
      local _, most = by_itself(fact.b, NO_FACTS, math.min(depth - 1, MAX_DEPTH_OF_FACTS))
      hi = most and math.min(hi, most - fact.by) or hi
    elseif fact.b == x and fact.a ~= x and depth > 0 then
      local least = by_itself(fact.a, NO_FACTS, math.min(depth - 1, MAX_DEPTH_OF_FACTS))
      lo = least and math.max(lo, least + fact.by) or lo
    end
  end
  if lo > hi then -- no row comes here
    return nil
  end
  return lo, hi
end

local modulo

-- A comparison of whole numbers in f64 as one in 32 bits, if both sides are known to fit, signed or unsigned.
local function compare_in_32_bits(c, facts)
  if c.op == "not" then
    return ir.NOT(compare_in_32_bits(c.a, facts))
  elseif c.op ~= "lt" and c.op ~= "le" and c.op ~= "eq" or c.a.t ~= "f64"
    or not of_any(c.a, facts, MAX_DEPTH) or not of_any(c.b, facts, MAX_DEPTH) then
    return c
  end
  local a, b, s, t = c.a, c.b, sum_of(c.a), sum_of(c.b)
  if ir.is_const(a, 0) and t and t[1] == "sub" then -- 0 < x - y is y < x
    a, b = t[3], t[2]
  elseif ir.is_const(b, 0) and s and s[1] == "sub" then
    a, b = s[2], s[3]
  end
  local a_lo, a_hi = of_any(a, facts, MAX_DEPTH)
  local b_lo, b_hi = of_any(b, facts, MAX_DEPTH)
  local x, y = a_lo and modulo(a, facts), b_lo and modulo(b, facts)
  if not x or not y then
    return c
  end
  local lo, hi = math.min(a_lo, b_lo), math.max(a_hi, b_hi)
  if lo >= ir.MIN and hi <= ir.MAX then
    return ir.compare_numbers(c.op, x, y)
  elseif lo >= 0 and hi < 2 ^ 32 then
    local sign = ir.constant(ir.MIN)
    return ir.compare_numbers(c.op, ir.bits("xor", x, sign), ir.bits("xor", y, sign))
  end
  return c
end

-- The value modulo 2^32, which is the value itself where it fits; nil if it is not a sum.
function modulo(n, facts)
  local s, x = n.source, bare(n)
  if x.t == "i32" then
    return x
  elseif is_whole(x) then
    local low = x.v % 2 ^ 32
    return ir.constant(low > ir.MAX and low - 2 ^ 32 or low)
  elseif n.op == "choose" then
    local a, b = modulo(n.a, with_fact(facts, n.c)), modulo(n.b, with_fact(facts, n.c, true))
    return a and b and ir.choose(compare_in_32_bits(n.c, facts), a, b)
  elseif s and (s[1] == "add" or s[1] == "sub") then
    local a, b = modulo(s[2], facts), modulo(s[3], facts)
    return a and b and ir.make("wrap_" .. s[1], "i32", a, b, nil, nil, ir.MIN, ir.MAX)
  end
  return nil
end

-- What a column keeps of a number where no row is left to Lua: in range.
local function in_place(field, v, key, guard, is_single)
  if is_single then
    return single.stored(field, v, key, guard)
  end
  return ir.INTEGERS[field.type] and single.clamped(field, v, guard) or ir.stored(field, v, key, guard)
end

--- What a column keeps of a value, as ir.stored, where `pred` holds.
---@param field engine.Field
---@param v any
---@param key string
---@param guard fun(bad: engine.ir.Node, value?: engine.ir.Node)
---@param pred engine.ir.Node
---@param precision? "single"|"double"
---@return engine.ir.Node
function M.stored(field, v, key, guard, pred, precision)
  local r, facts = ir.INTEGERS[field.type], { seen = {} }
  local may_not_fit = r and field.type ~= "enum" and type(v) == "table"
    and (v.t == "f64" or v.t == "i32" and (v.lo < r[1] or v.hi > r[2]))
  if may_not_fit then
    add_fact(facts, pred)
    local lo, hi = of_any(v, facts, MAX_DEPTH)
    local fits = lo and lo >= math.max(r[1], field.least or r[1]) and hi <= r[2]
    local whole = fits and modulo(v, facts)
    if whole then
      return precision == "single" and single.of_kind(whole, "whole") or whole
    end
  end
  if precision and field.type ~= "bool" and field.type ~= "enum" and field.type ~= "string" then
    return in_place(field, ir.number(v), key, guard, precision == "single")
  end
  return ir.stored(field, v, key, guard)
end

return M
