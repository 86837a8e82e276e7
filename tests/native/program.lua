-- Random functions over rows as source texts: statements over the columns of given, extra and result, and over
-- loop-invariant values.
local values = require("values")

local M = {}

local READ = { "given.a", "given.b", "given.c", "given.d", "given.k", "given.u", "given.s", "given.w", "given.c",
  "given.a", "given.v", "given.h" }
local WRITE = { r = 6, f = 6, l = 3, o = 3, u = 3, t = 3, h = 2 }
-- Clamps most stored values, because rows whose values do not fit fall back to Lua.
local FITS = { l = "shoal.math.clamp(%s, -2147483648, 2147483647.5)", o = "shoal.math.clamp(%s, -32768, 32767)",
  u = "shoal.math.clamp(%s, 0, 255.9)", h = "shoal.math.clamp(%s, 0, 65535.5)",
  t = "shoal.math.clamp(%s, -128.9, 127)" }
local KINDS = { "r", "f", "r", "f", "l", "o", "u", "t", "h" }
local UNARY = { "-(%s)", "math.floor(%s)", "math.ceil(%s)", "math.abs(%s)", "math.sqrt(%s)", "math.sin(%s)",
  "math.cos(%s)", "math.exp(%s)", "math.log(%s)", "math.deg(%s)", "math.rad(%s)", "shoal.math.abs(%s)",
  "shoal.math.floor(%s)", "shoal.math.sqrt(%s)", "(%s) ^ 2", "(%s) %% 3", "(%s) %% 1", "bit.tobit(near(%s))",
  "bit.bnot(near(%s))",
  "half(%s)", "sign(%s)", "(seek(%s))", "(select_third(%s, 4, SCALE))",
  "(%s) + 1", "(%s) - 0.3", "(%s) * 2", "1 / (%s)", "0 - (%s)", "(%s) * -1", "(%s) %% -7" }
local BINARY = { "(%s) + (%s)", "(%s) - (%s)", "(%s) * (%s)", "(%s) / (%s)", "(%s) %% (%s)", "math.max(%s, %s)",
  "math.min(%s, %s)", "shoal.math.max(%s, %s)", "shoal.math.min(%s, %s)", "math.atan2(%s, %s)",
  "bit.band(near(%s), near(%s))",
  "bit.bor(near(%s), near(%s))", "bit.bxor(near(%s), near(%s))", "bit.lshift(near(%s), near(%s))",
  "bit.rshift(near(%s), near(%s))", "bit.arshift(near(%s), near(%s))",
  "bit.rol(near(%s), near(%s))", "between(%s, %s)", "math.max(%s, SCALE, %s)",
  "math.min(%s, %s, 7)", "(%s) + (%s)", "(%s) * (%s)", "(%s) - (%s)", "(%s) ^ (%s)" }
local COMPARE = { "<", "<=", ">", ">=", "==", "~=" }

local HEAD = [[
local function half(v)
  return v * 0.5
end
local function sign(v)
  if v > 0 then
    return 1
  elseif v < 0 then
    return -1
  end
  return 0
end
local function between(a, b)
  local low, high = a, b
  if b < a then
    low, high = b, a
  end
  return high - low, low
end
local function seek(v)
  for k = 1, 4 do
    if v < k then
      v = v + 0.5
    elseif v > 100 then
      v = v * 0.25
    end
  end
  return v, 1
end
local function select_third(a, b, c)
  if a ~= a then
    return b, c, a
  elseif a > b then
    return c
  end
  return a, b
end
local function near(v)
  return shoal.math.clamp(v, -2 ^ 40, 2 ^ 40)
end
local SCALE, limits = 0.125, { low = -100, high = 100 }
local BY_KIND, BY_NUMBER = { x = 2, y = -0.5, z = 1e10 }, { 3, -0.0, 0.5, 8 }
local BY_NAME = { x = { n = 0, w = "x" }, y = { n = -1, w = "long" }, z = { n = 0.1, w = "" } }
return ]]

-- Returns nil in most calls, otherwise an expression with a random number, a read of another entity, or e:has().
function M.rare(g)
  local pick = g.pick
  local kind = pick(60)
  if kind <= 4 then
    return ({ "world.random()", "world.random(6)", "world.random(-3, 3)", "world.random(0.5, 2)" })[kind]
  elseif kind <= 8 then
    return ('(world.lookup("given").%s[%s] or 4)'):format(({ "b", "k", "d" })[pick(3)], g.leaf("given.to"))
  elseif kind <= 12 then -- the target may be dead, so the program checks this first: reading it would be an error
    return ("(%s and %s.%s or 3)"):format(M.lives(g), g.leaf("given.to"),
      ({ "given.a", "given.k", "result.f1" })[pick(3)])
  end
  if kind <= 20 and g.optional then
    return "(q.has.extra[i] and q.extra.v[i] or 2)"
  end
  return kind <= 16 and g.each and '(e:has("extra") and e.extra.v or 2)' or nil
end

-- Returns nil in most calls, otherwise an access to a constant table, indexed by a value of the row. Some entries are
-- missing or not numbers.
function M.chosen(g)
  local pick = g.pick
  local kind = pick(40)
  if kind == 1 then
    return ("BY_KIND[%s]"):format(g.leaf("given.kind"))
  elseif kind == 2 then
    return ("(BY_NUMBER[%s] or 5)"):format(pick(3) == 1 and "math.floor(" .. g.leaf("given.d") .. ") % 64 + 1"
      or g.leaf("given.u") .. " % 2 + 1")
  end
  return kind == 3 and ("BY_NAME[%s].n"):format(g.leaf("given.kind")) or nil
end

-- Returns `form`, or `plain` if `form` would add side exits (bit.*, loops) to a program whose own exits are tested.
function M.plain_form(g, form, plain)
  return g.exits and (form:find("bit.", 1, true) or form:find("seek", 1, true)) and plain or form
end

-- `g.leaf(name)` returns the text of a row's column in the current form (each or update).
local function expression(g, depth)
  local pick, kind = g.pick, g.pick(22)
  if depth == 0 or kind <= 3 then
    local what = pick(9)
    if what == 1 then
      return values.literal(pick)
    elseif what == 2 and #g.locals > 0 then
      return g.locals[pick(#g.locals)]
    elseif what == 3 then
      if g.several and pick(3) == 1 then
        return ({ "keep", "some.n", "i" })[pick(3)]
      elseif g.plain and pick(3) == 1 then
        return ({ "i", "n", "early", "q.count", ("q.given.%s[%s %% n + 1]"):format(({ "a", "k", "d" })[pick(3)],
          g.leaf("given.u")) })[pick(5)]
      elseif not g.small and pick(3) == 1 then
        return ({ "world.single.tally.a", "tally.f", "tally.k", g.carries and "sum" or "dt",
          g.carries and "best" or "dt" })[pick(5)]
      end
      return ({ "SCALE", "limits.low", "limits.high", "dt", "world.single.some.n", 'world.find("post").post.level',
        'world.count("extra")', "world.tick" })[pick(g.exits and 5 or 8)]
    elseif what == 4 then
      local of = KINDS[pick(#KINDS)]
      return g.leaf("result." .. of .. pick(WRITE[of]))
    end
    return not g.small and (M.rare(g) or M.chosen(g))
      or pick(9) == 1 and g.leaf("result.place." .. ({ "x", "y" })[pick(2)])
      or g.leaf(READ[pick(#READ)])
  elseif kind <= 9 then
    return M.plain_form(g, UNARY[pick(#UNARY)], "(%s) * 0.5"):format(expression(g, depth - 1))
  elseif kind <= 18 then
    return "(" .. M.plain_form(g, BINARY[pick(#BINARY)], "(%s) - (%s)"):format(expression(g, depth - 1),
      expression(g, depth - 1)) .. ")"
  elseif kind == 19 then
    return ("shoal.math.clamp(%s, %s, %s)"):format(expression(g, depth - 1), values.literal(pick),
      expression(g, depth - 1))
  elseif kind == 20 then
    return ("shoal.math.lerp(%s, %s, %s)"):format(expression(g, depth - 1), expression(g, depth - 1),
      values.literal(pick))
  end
  return ("((%s) and (%s) or (%s))"):format(M.condition(g, depth - 1), expression(g, depth - 1),
    expression(g, depth - 1))
end

-- Returns a string expression: from a column, from a singleton, or a new string.
local function words(g)
  local pick = g.pick
  if g.plain and pick(9) == 1 then
    return "word"
  end
  return ({ '"x"', '"long"', '"new"', '""', g.leaf("given.word"), g.leaf("given.kind"), "world.single.some.word",
    g.leaf("result.w" .. pick(2)), g.leaf("result.e" .. pick(2)), "world.single.some.kind" })[pick(10)]
end

local function choice(g)
  local pick = g.pick
  return ({ '"x"', '"y"', g.leaf("given.kind"), g.leaf("result.e1"), "world.single.some.kind" })[pick(5)]
end

-- Returns the condition that the row's target is alive and has the component that is read.
function M.lives(g)
  local to = g.leaf("given.to")
  return ('(%s and %s:has("given"))'):format(g.pick(2) == 1 and to .. ":alive()" or "world.alive(" .. to .. ")", to)
end

-- Returns a test of a tile inside or next to a map of 4 by 3 tiles.
function M.solid(g)
  return ('world.tiles(world.find("post")):solid(%s, %s)'):format(g.pick(3) == 1 and expression(g, 1)
    or g.leaf("given.u") .. " % 6", g.pick(9) == 1 and expression(g, 1) or g.leaf("given.k") .. " % 4 + 0.5")
end

local function condition_on_texts(g)
  local pick = g.pick
  if pick(12) == 1 then
    return M.solid(g)
  end
  local kind = pick(7)
  if kind == 7 then
    return pick(2) == 1 and M.lives(g) or g.leaf("given.to") .. ' == world.find("post")'
  elseif kind == 1 then
    return "world.single.some.on"
  elseif kind == 2 then
    return ('world.find("%s") %s nil'):format(({ "post", "nobody" })[pick(2)], COMPARE[4 + pick(2)])
  elseif kind == 3 and g.optional then
    return "q.has.extra[i]"
  elseif kind == 4 and g.ordered then
    return ({ "tally.on", g.carries and "found" or "tally.on",
      g.carries and g.leaf("given.to") .. " == who" or "not tally.on" })[pick(3)]
  end
  return ("%s %s %s"):format(words(g), COMPARE[4 + pick(2)], words(g))
end

function M.condition(g, depth)
  local pick, kind = g.pick, g.pick(12)
  if kind > 10 and not g.small then
    return condition_on_texts(g)
  elseif kind == 1 or kind > 10 then
    return g.leaf("given.flag")
  elseif kind == 2 then
    return ('%s %s "%s"'):format(g.leaf("given.kind"), COMPARE[4 + pick(2)], ({ "x", "y", "z" })[pick(3)])
  elseif kind == 3 and depth > 0 then
    return ("not (%s)"):format(M.condition(g, depth - 1))
  elseif kind <= 5 and depth > 0 then
    return ("(%s) %s (%s)"):format(M.condition(g, depth - 1), pick(2) == 1 and "and" or "or", M.condition(g, depth - 1))
  end
  return ("(%s) %s (%s)"):format(expression(g, math.max(depth - 1, 0)), COMPARE[pick(6)],
    expression(g, math.max(depth - 1, 0)))
end

local statement

local function accesses_extra(g)
  return (g.each or g.optional) and g.pick(2) == 1
end

local function block(g, depth, out, indent)
  local before = #g.locals
  for _ = 1, g.pick(2) do
    statement(g, depth, out, indent)
  end
  while #g.locals > before do
    table.remove(g.locals)
  end
end

-- Emits a loop within a row: with constant bounds, up to a column's value, or over the rows of a query.
function M.loops(g, depth, out, indent)
  local pick = g.pick
  g.count = g.count + 1
  local name, k = "v" .. g.count, "k" .. g.count
  local function put(...)
    out[#out + 1] = indent .. string.format(...)
  end
  put("local %s = %s", name, expression(g, 1))
  local upwards, far = pick(3) > 1, g.several and pick(2) == 1
  if not far and pick(3) == 1 then
    put("for %s = %s do", k, ({ "1, 4", "3, -2, -1.5", "0, 7", "-1, 1, 0.5", "1, 9", "2, 1" })[pick(6)])
  elseif far then
    put("for %s = 1, math.min(q.two.count, %d) do", k, pick(9))
    put("  %s = %s + q.two.given.%s[%s]", name, name, ({ "a", "c", "k", "u" })[pick(4)], k)
  elseif upwards then
    put("for %s = %s, math.min(%s, %d)%s do", k, ({ "-1", "0.5", "1", "2" })[pick(4)], expression(g, 1), pick(6),
      ({ "", ", 0.5", ", 2", ", 1 + " .. g.leaf("given.u") .. " % 3" })[pick(4)])
  else
    put("for %s = %d, math.max(%s, -3), %s do", k, pick(5), expression(g, 1), ({ "-1", "-0.75" })[pick(2)])
  end
  g.locals[#g.locals + 1], g.locals[#g.locals + 2] = name, k
  put("  %s = %s", name, expression(g, 2))
  if pick(2) == 1 then
    put("  if %s then break end", M.condition(g, 1))
  end
  for _ = 1, pick(2) do
    statement(g, depth - 1, out, indent .. "  ")
    while #g.locals > 0 and g.locals[#g.locals] ~= k do
      table.remove(g.locals)
    end
  end
  put("end")
  table.remove(g.locals)
end

-- Emits a local that may be nil because only one branch assigns it.
function M.may_be_nil(g, put)
  local pick = g.pick
  g.count = g.count + 1
  local name = "v" .. g.count
  put("local %s", name)
  put("if %s then %s = %s end", M.condition(g, 1), name, expression(g, 1))
  if pick(3) == 1 then
    put("if %s then %s = nil end", M.condition(g, 1), name)
  end
  g.locals[#g.locals + 1] = ({ "(%s or 3)", "(%s and 1 or 2)", "(%s == nil and 5 or 6)", "(%s == 0.5 and 7 or 8)" })
    [pick(4)]:format(name)
end

-- Emits a local that is 0 and becomes -0 in a branch or an iteration. Only a quotient reveals its sign.
function M.zero(g, put)
  local pick = g.pick
  g.count = g.count + 1
  local name = "v" .. g.count
  local sign = "if 1 / " .. name .. " < 0 then %s = %s end"
  put("local %s = %s", name, ({ "0", "-0.0", "0 * " .. g.leaf("given.k") })[pick(3)])
  if pick(2) == 1 then
    put("for k = 1, %d do", pick(4))
    put("  if %s then %s = -%s end", pick(2) == 1 and "true" or M.condition(g, 1), name, name)
    if pick(2) == 1 then
      put("  " .. sign, g.leaf("result.r" .. pick(6)), expression(g, 1))
    end
    put("end")
  else
    put("if %s then %s = -%s end", M.condition(g, 1), name, name)
  end
  put(sign, g.leaf("result.r" .. pick(6)), expression(g, 1))
  g.locals[#g.locals + 1] = name
end

-- Emits a local that is a number in one branch and a boolean or nil in the other.
function M.mixed(g, put)
  local pick = g.pick
  g.count = g.count + 1
  local name = "v" .. g.count
  put("local %s = %s %s %s", name, M.condition(g, 1), pick(2) == 1 and "and" or "or", expression(g, 1))
  put("if %s ~= true and %s then %s = %s end", name, name, g.leaf("result.r" .. pick(6)),
    pick(2) == 1 and name or expression(g, 1))
end

-- Emits a write to a row that may belong to another entity.
function M.writes_elsewhere(g, put)
  local pick, column = g.pick, ({ "a", "c", "d" })[g.pick(3)]
  if g.several and pick(2) == 1 then
    local query = pick(2) == 1 and "one" or "two"
    put("q.%s.%s[shoal.math.clamp(math.floor(%s), 1, q.%s.count)] = %s", query,
      pick(2) == 1 and "given." .. column or "result.f" .. pick(2), expression(g, 1), query, expression(g, 1))
  elseif pick(2) == 1 then
    put('if %s then world.lookup("given").%s[%s] = %s end', M.lives(g), column, g.leaf("given.to"), expression(g, 1))
  else
    put("if %s then %s.given.%s = %s end", M.lives(g), g.leaf("given.to"), column, expression(g, 1))
  end
end

-- Returns an entity expression: an entity that is alive or dead, the row's own entity, shoal.none, or nil.
function M.who(g)
  local pick = g.pick
  return ({ g.leaf("given.to"), g.leaf("result.link"), g.each and "e" or g.from .. "entity[i]", 'world.find("post")',
    "shoal.none", g.each and "shoal.none" or "nil", g.carries and "who" or g.leaf("given.to"),
    g.each and "e" or "nil" })[pick(8)]
end

function M.writes_entity(g, put)
  local pick = g.pick
  local to = pick(4) == 1 and g.leaf("given.to") or g.leaf("result.link")
  local kind = pick(5)
  if kind == 1 then
    put("if %s then %s = %s end", M.condition(g, 1), to, M.who(g))
  elseif kind == 2 then
    put('if %s then world.lookup("given").to[%s] = %s or shoal.none end', M.lives(g), g.leaf("given.to"), M.who(g))
  elseif kind == 3 then
    put("if %s == %s then %s = %s end", g.leaf("result.link"), g.leaf("given.to"), g.leaf("result.r" .. pick(6)),
      expression(g, 1))
  else
    g.count = g.count + 1
    put("local v%d", g.count)
    put("if %s then v%d = %s end", M.condition(g, 1), g.count, M.who(g))
    put("%s = v%d%s", to, g.count, g.each and " or shoal.none" or "")
  end
end

-- Emits a table or string that the row creates.
function M.makes(g, put)
  local pick, kind = g.pick, g.pick(4)
  if kind == 1 then
    put(({ "%s = { %s, (%s) }", "%s = { x = %s, y = %s }", "%s = { (%s), y = %s }" })[pick(3)], g.leaf("result.place"),
      expression(g, 1), expression(g, 1))
  elseif kind <= 3 then
    g.count = g.count + 1
    local name = "v" .. g.count
    put("local %s = { a = %s, (%s) }", name, expression(g, 1), expression(g, 1))
    if pick(2) == 1 then
      put("%s.b = %s.a * 2", name, name)
    end
    if pick(3) == 1 then
      put("if %s then %s = { %s, a = %s } end", M.condition(g, 1), name, expression(g, 1), expression(g, 1))
    end
    g.locals[#g.locals + 1] = name .. (pick(2) == 1 and ".a" or "[1]")
  else
    put('%s = ((%s) and "x" or "y") .. %s', g.leaf("result.w" .. pick(2)), M.condition(g, 1),
      pick(2) == 1 and g.leaf("given.kind") or ('((%s) and "" or "long")'):format(M.condition(g, 1)))
  end
end

-- Differences between these integers may exceed 32 bits unless range checks bound them.
local WHOLE = { "given.k", "given.w", "given.w", "given.s", "given.u", "result.l1", "result.l2", "result.l3" }
local ASKED = { "%s > 0", "%s >= 0", "0 > %s", "%s <= 0", "not (%s > 0)", "%s == 0", "%s < 1000", "%s >= -7.5",
  "%s ~= 3" }
local KEPT = { "%s", "math.max(%s, 0)", "math.max(%s, 0)", "math.min(%s, 0)", "math.max(%s, -3)", "math.min(%s, 100)",
  "math.max(math.min(%s, 70), -70)", "math.max(0, %s)", "(%s) * 1",
  "(%s + 9007199254740992) - 9007199254740992", "(%s - 9007199254740991) + 9007199254740991" }
local NEXT = { "", "", " + 1", " - 1", " + 2", " - 2" }

local function whole(g, put)
  local pick, asked = g.pick, {}
  local function any() return g.leaf(WHOLE[pick(#WHOLE)]) end
  local x, y, z = any(), any(), any()
  put("local d = %s - %s", x, y)
  for i = 1, pick(3) do
    asked[i] = pick(3) == 1 and ("%s %s %s"):format(x, COMPARE[pick(6)], y)
      or ASKED[pick(#ASKED)]:format(({ "d", "d", x, y, z, z })[pick(6)])
  end
  local to = g.leaf("result." .. ({ "l", "l", "l", "o", "u", "t" })[pick(6)] .. pick(3))
  put("if %s then %s = %s end", table.concat(asked, pick(4) == 1 and " or " or " and "), to,
    KEPT[pick(#KEPT)]:format(z .. (pick(2) == 1 and " - d" or " + d") .. NEXT[pick(#NEXT)]))
  put("%s = %s * 3", g.leaf("result.r" .. pick(6)), to)
end

function M.rarely(g)
  local pick = g.pick
  return ({ M.makes, M.zero, M.may_be_nil, M.zero, M.zero, pick(4) == 1 and M.mixed or M.zero,
    not g.small and M.writes_elsewhere or M.makes, not g.small and M.writes_entity or M.zero,
    not g.small and M.writes_entity or M.zero })[pick(9)]
end

function M.flag(g)
  return g.pick(2) == 1 and "not " .. g.leaf("given.flag")
    or ("(%s) < (%s)"):format(expression(g, 1), expression(g, 1))
end

function statement(g, depth, out, indent)
  local pick, kind = g.pick, g.pick(12)
  local function put(...)
    out[#out + 1] = indent .. string.format(...)
  end
  if kind <= 2 then
    g.count = g.count + 1
    put("local v%d = %s", g.count, expression(g, 2))
    g.locals[#g.locals + 1] = "v" .. g.count
  elseif kind <= 4 and depth > 0 then
    put("if %s then", M.condition(g, 2))
    block(g, depth - 1, out, indent .. "  ")
    if pick(3) == 1 then
      put("elseif %s then", M.condition(g, 1))
      block(g, depth - 1, out, indent .. "  ")
    end
    if pick(2) == 1 then
      put("else")
      block(g, depth - 1, out, indent .. "  ")
    end
    put("end")
  elseif kind == 5 and depth > 0 and pick(2) == 1 then
    M.loops(g, depth, out, indent)
  elseif kind == 5 then
    put("%s = %s", g.leaf("result.b" .. pick(3)), M.flag(g))
  elseif kind == 11 then
    local of = pick(2) == 1 and words or choice
    put("%s = (%s) and %s or %s", g.leaf((of == words and "result.w" or "result.e") .. pick(2)), M.condition(g, 1),
      of(g), of(g))
  elseif kind == 12 and accesses_extra(g) then
    put(g.each and 'if e:has("extra") then e.extra.v = %s end' or "if q.has.extra[i] then q.extra.v[i] = %s end",
      expression(g, 1))
  elseif kind == 12 and pick(2) == 1 then
    M.rarely(g)(g, put)
  elseif kind == 12 then
    put("%s = %s", g.leaf("result.place." .. ({ "x", "y" })[pick(2)]), expression(g, 1))
  elseif kind == 6 and #g.locals > 0 then
    local name = g.locals[pick(#g.locals)]
    put("%s = %s", name:match("^%((v%d+)") or name, expression(g, 2))
  else
    local of = KINDS[pick(#KINDS)]
    local v = expression(g, 1 + pick(2))
    put("%s = %s", g.leaf("result." .. of .. pick(WRITE[of])), FITS[of] and pick(20) > 1 and FITS[of]:format(v) or v)
  end
end

-- Emits loop-carried values and statements that cause side exits.
local function carried(g, out, indent)
  local pick = g.pick
  local function put(...)
    out[#out + 1] = indent .. string.format(...)
  end
  local field = ({ "a", "f", "k", "on" })[pick(4)]
  if field == "on" then
    put("tally.on = %s", M.condition(g, 1))
  else
    local v = expression(g, 1)
    put("world.single.tally.%s = %s", field, field == "k" and FITS.l:format(v) or v)
  end
  if pick(3) == 1 then
    put("if %s then tally.a = tally.a + %s end", M.condition(g, 1), expression(g, 1))
  end
  if pick(3) == 1 then
    put('if %s == %d then world.emit("heard", { n = %s }) end', g.leaf("given.u"), pick(9), expression(g, 1))
  end
  if pick(4) == 1 then -- native code contains only the first call in this block; the rest runs in Lua
    put('if %s == %d then', g.leaf("given.u"), pick(9))
    put('  world.emit("heard", { n = %s })', g.each and g.leaf("given.u") or "i")
    put("  world.single.some.n = %s", expression(g, 1))
    put("  world.single.some.word = %s", words(g))
    put('  world.tiles(world.find("post")):set("ground", %s %% 4 + 1, 1 + %s %% 3, %s %% 3)', g.leaf("given.u"),
      g.leaf("given.u"), g.leaf("given.u"))
    put("  %s = %s", g.leaf("result.r" .. pick(6)), g.plain and pick(2) == 1 and "i + n" or expression(g, 1))
    if not g.each and pick(4) == 1 then
      put("  if %s > 900 then %s end", g.leaf("given.k"), g.plain and pick(2) == 1 and "return" or "break")
    end
    put("end")
  end
  if not g.carries then
    return
  end
  put("sum = sum + %s", expression(g, 1))
  local least = expression(g, 1)
  put("if %s < least then", least)
  put("  least, best, who = %s, i, %s", least, pick(2) == 1 and g.leaf("given.to") or g.from .. "entity[i]")
  put("end")
  put("found = found or %s", M.condition(g, 1))
  if pick(6) == 1 then
    put("if %s > 950 then break end", g.leaf("given.k"))
  end
end

-- Returns the statements of one row.
local function rows_of(g, indent)
  local out = {}
  for _ = 1, 3 + g.pick(5) do
    statement(g, 2, out, indent)
  end
  if g.ordered then
    carried(g, out, indent)
  end
  out[#out + 1] = indent .. g.leaf("result.r1") .. " = " .. expression(g, 2)
  g.locals = {}
  return table.concat(out, "\n")
end

local SEVERAL = [[
function(q, dt)
  local some, keep, column = world.single.some, dt * 3, q.one.result.f1
  some.n = some.n + 0.25
  local tally, sum, least, best, who, found = world.single.tally, 0, math.huge, 0, shoal.none, false
  for i = 1, q.one.count do
    column[i] = column[i] * keep
%s
  end
  keep = some.n * 0.5
  some.n, tally.sum, tally.best, tally.least = keep, sum, best, least
  for i = %s do
%s
  end
  some.n = some.n - keep
  tally.sum, tally.best, tally.least, tally.who, tally.on = tally.sum + sum, best, least, who, found
end]]

local PLAIN = [[
function(q, dt)
  local n, early, word = q.count, world.single.some.n, world.single.some.word
%send]]

-- Returns the text of a function over `q` or `e` or, with `several`, over two named queries with a loop each.
function M.text(pick, each, optional, several)
  local g = { pick = pick, locals = {}, count = 0, optional = optional, each = each, several = several,
    carries = several, ordered = several or pick(3) == 1, from = several and "q.one." or "q." }
  function g.leaf(name)
    return each and "e." .. name or g.from .. name .. "[i]"
  end
  if several then
    local first = rows_of(g, "    ")
    g.from = "q.two."
    local head = ({ "1, q.two.count", "1, q.two.count", "2, q.two.count", "1 + world.tick %% 3, q.two.count, 3",
      "1, q.two.count, 2", "3, q.two.count - 1", "1 + world.tick %% 3, q.two.count - world.tick %% 4, 2",
      "1, math.floor(q.two.count / 2)", "world.tick + 2, 40.5" })[pick(9)]:gsub("%%%%", "%%")
    return HEAD .. SEVERAL:format(first, head, rows_of(g, "    "))
  end
  local function rows()
    return "    local tally = world.single.tally\n" .. rows_of(g, each and "  " or "    ")
  end
  if each then
    return HEAD .. ("function(e, dt)\n%s\nend"):format(rows())
  elseif pick(2) == 1 then
    return HEAD .. ("function(q, dt)\n  for i = 1, q.count do\n%s\n  end\nend"):format(rows())
  end
  g.plain = true
  local loops = {}
  for i = 1, pick(3) == 1 and 2 or 1 do
    local stop = ({ "n", "q.count", "n", "q.count", "n - 1" })[pick(5)]
    loops[i] = ("  for i = 1, %s do\n%s\n  end\n"):format(stop, rows())
  end
  return HEAD .. PLAIN:format(table.concat(loops))
end

-- Returns sixteen small programs as functions of a row's columns, and a loop that stores each result in its own column.
local RESULTS = { "r1", "r2", "r3", "r4", "r5", "r6", "f1", "f2", "f3", "f4", "f5", "f6", "l1", "o1", "u1", "t1" }
M.SMALL = #RESULTS
local ARGUMENTS = { "a", "b", "c", "d", "k", "u" }

local function small(pick, each)
  local g = { pick = pick, locals = {}, small = true, leaf = function(name)
    return name == "given.flag" and "flag" or name == "given.kind" and '"x"' or ARGUMENTS[pick(#ARGUMENTS)]
  end }
  local functions, stores = {}, {}
  for i, column in ipairs(RESULTS) do
    local text = expression(g, pick(8) == 1 and 2 or 1)
    if pick(3) == 1 then
      text = ("%s\n  if %s then\n    v = %s\n  end"):format(text, M.condition(g, 1), expression(g, 1))
    end
    functions[i] = ("local function p%d(a, b, c, d, k, u, flag, dt)\n  local v = %s\n  return v\nend\n")
      :format(i, text)
    local call = each and ("p%d(g.a, g.b, g.c, g.d, g.k, g.u, g.flag, dt)"):format(i)
      or ("p%d(g.a[i], g.b[i], g.c[i], g.d[i], g.k[i], g.u[i], g.flag[i], dt)"):format(i)
    local fits = FITS[column:sub(1, 1)]
    stores[i] = ("    %s = %s"):format(each and "e.result." .. column or "q.result." .. column .. "[i]",
      fits and fits:format(call) or call)
  end
  local before, body = HEAD:gsub("return $", ""), table.concat(stores, "\n")
  local form = each and "return function(e, dt)\n  local g = e.given\n%s\nend"
    or "return function(q, dt)\n  local g = q.given\n  for i = 1, q.count do\n%s\n  end\nend"
  return before .. table.concat(functions) .. form:format(body)
end

-- Emits a counter of a small integer type. A check before each increment ensures that the result fits, or is off by
-- one.
local function count(g, put)
  local pick = g.pick
  local at = g.leaf("result." .. ({ "u", "u", "t" })[pick(3)] .. pick(3))
  local down = pick(2) == 1
  local limit = down and pick(4) - 1 or ({ 252, 253, 254, 255, 124, 125, 126, 127, -126, -127 })[pick(10)]
  put("if %s %s %d then %s = %s %s %d end", at, COMPARE[pick(6)], limit, at, at, down and "-" or "+", pick(3))
end

-- Returns a loop of integer checks followed by stores: a value that does not fit makes the row take a side exit.
local function question(pick)
  local g, out = { pick = pick, leaf = function(name) return "q." .. name .. "[i]" end }, {}
  for i = 1, pick(3) do
    (i == 1 and whole or count)(g, function(...) out[#out + 1] = "    " .. string.format(...) end)
  end
  return ("return function(q)\n  for i = 1, q.count do\n%s\n  end\nend"):format(table.concat(out, "\n"))
end

-- Emits a command with values of the row.
local function command(g, put)
  local pick, e = g.pick, g.each and "e" or "q.entity[i]"
  local kind = pick(9)
  if kind <= 2 then
    put('world.emit("heard", { n = %s })', expression(g, 1))
  elseif kind == 3 then
    put('world.emit("said", { who = %s, x = %s, k = %s, on = %s, kind = %s, word = %s })', e, expression(g, 1),
      FITS.l:format(expression(g, 1)), g.leaf("given.flag"), g.leaf("given.kind"), g.leaf("given.word"))
  elseif kind == 4 then
    put('%s:add("mark", { v = %s, of = %s })', e, expression(g, 1), g.leaf("given.to"))
  elseif kind == 5 then
    put('%s:remove("mark")', e)
  elseif kind == 6 then
    put('%s:set("result", { r5 = %s, b2 = %s })', e, expression(g, 1), g.leaf("given.flag"))
  elseif kind == 7 then
    put('world.spawn("crumb", { mark = { v = %s, of = %s } })', expression(g, 1), e)
  elseif kind == 8 then
    put('world.spawn("crumb")')
  else
    put("if %s > 120 then %s:destroy() end", g.leaf("given.u"), e)
  end
end

-- Returns a loop whose rows sometimes queue commands before, between and after their stores.
local function exiting(pick, each)
  local g, out, is_plain = { pick = pick, locals = {}, count = 0, each = each }, {}, pick(5) > 1
  g.exits, g.small = is_plain, is_plain
  function g.leaf(name)
    return each and "e." .. name or "q." .. name .. "[i]"
  end
  local function put(...)
    out[#out + 1] = "    " .. string.format(...)
  end
  for _ = 1, 1 + pick(3) do
    put("%s = %s", g.leaf("result." .. ({ "r", "f" })[pick(2)] .. pick(6)), expression(g, 2))
    put("if %s %% %d == %d then", g.leaf("given.u"), 3 + pick(60), pick(4) - 1)
    command(g, put)
    put("%s = %s", g.leaf("result." .. ({ "r3", "f3", "b1" })[pick(2)]), expression(g, 1))
    if pick(3) == 1 then
      command(g, put)
    end
    put("end")
    if pick(12) == 1 then
      put("%s = %s", g.leaf("result.u1"), expression(g, 1))
    end
  end
  local form = each and "return function(e, dt)\n    local tally = world.single.tally\n%s\nend"
    or pick(2) == 1 and "return function(q, dt)\n  local tally = world.single.tally\n"
      .. "  for i = 1, q.count do\n%s\n  end\nend"
    or "return function(q, dt)\n  local n, tally = q.count, world.single.tally\n  for i = 1, q.count do\n%s\n  end\n"
      .. "  for i = 1, q.count do q.result.r4[i] = q.result.r4[i] * 0.5 + n end\nend"
  return (HEAD:gsub("return $", "")) .. form:format(table.concat(out, "\n"))
end

local ROW_HEADS = { "1, math.min(q.count, 9)", "1, q.count, 7", "3, q.count, 50", "q.count - 3, q.count" }
local OTHER_HEADS = { "1, world.single.some.n * 9", "2, 11", "-1, 4, 0.5", "7, -2, -1", "4, 2", "world.tick, 9, 2" }

-- Emits a loop that all rows execute together: its bounds are the same for all rows, and no `break` ends it.
local function common_loop(g, depth, out, indent)
  local pick = g.pick
  g.count = g.count + 1
  local name, k, over_rows = "v" .. g.count, "k" .. g.count, not g.each and pick(3) > 1
  local function put(...)
    out[#out + 1] = indent .. string.format(...)
  end
  put("local %s = %s", name, expression(g, 1))
  put("for %s = %s do", k, over_rows and ROW_HEADS[pick(#ROW_HEADS)] or g.index and pick(2) == 1 and g.index .. ", 6"
    or OTHER_HEADS[pick(#OTHER_HEADS)])
  local outer, locals = g.index, #g.locals
  g.index, g.locals[#g.locals + 1], g.locals[#g.locals + 2] = k, name, k
  if not g.each then
    put("  local o%d = q.given.%s[%s]", g.count, ({ "a", "b", "c", "d", "k", "u" })[pick(6)],
      over_rows and k or ("(%s >= 1 and %s <= q.count and %s %% 1 == 0 and %s or 1)"):format(k, k, k, k))
    g.locals[#g.locals + 1] = "o" .. g.count
  end
  put("  %s = %s", name, expression(g, 2))
  for _ = 1, pick(2) do
    if depth > 1 and pick(3) == 1 then
      common_loop(g, depth - 1, out, indent .. "  ")
    else
      statement(g, pick(2) - 1, out, indent .. "  ")
    end
  end
  put("end")
  g.index = outer
  while #g.locals > locals + 1 do
    table.remove(g.locals)
  end
end

-- Returns a function with common loops between other statements.
local function looping(pick, each)
  local g, out = { pick = pick, locals = {}, count = 0, each = each, small = pick(3) > 1, exits = pick(2) == 1,
    from = "q." },
    { "    local tally = world.single.tally" }
  function g.leaf(name)
    return each and "e." .. name or "q." .. name .. "[i]"
  end
  for _ = 1, pick(3) do
    local is_guarded = pick(3) == 1
    out[#out + 1] = is_guarded and ("    if %s then"):format(M.condition(g, 1)) or nil
    common_loop(g, 2, out, "    ")
    out[#out + 1] = ("    %s = %s"):format(g.leaf("result.r" .. pick(6)), expression(g, 2))
    if is_guarded then
      out[#out + 1], g.locals = "    end", {}
    end
    if pick(4) == 1 then
      out[#out + 1] = ('    if %s == %d then world.emit("heard", { n = %s }) end'):format(g.leaf("given.u"), pick(9),
        expression(g, 1))
    end
  end
  local form = each and "function(e, dt)\n%s\nend" or pick(2) == 1
    and "function(q, dt)\n  for i = 1, q.count do\n%s\n  end\nend"
    or "function(q, dt)\n  local n = q.count\n  for i = 2, n - 1 do\n%s\n  end\nend"
  return HEAD .. form:format(table.concat(out, "\n"))
end

local OFFSETS = { "i - 1", "i - 1", "i - 1", "i + 1", "i - w", "i + w", "i - w - 1", "i + 1 - w", "i - 2", "i - 2 + 1" }
local WIDTHS = { "3", "math.floor(math.sqrt(q.count))", "2 + world.tick % 3", "1" }
local STEPS = { "", "", "", "", ", 2", ", 3", ", 1 + world.tick % 2" }

-- Returns loops over a range of rows that read rows at fixed distances, often in columns that the loop writes.
local function neighbouring(pick)
  local g, out = { pick = pick, locals = {}, count = 0, small = true, exits = true, from = "q." }, {}
  function g.leaf(name)
    local offset = OFFSETS[pick(#OFFSETS)]
    if pick(12) == 1 then
      return ("(%s >= 1 and q.%s[%s] or %s)"):format(offset, name, offset,
        name:find("flag") and "false" or name:find("kind") and '"y"' or "4")
    end
    return ("q.%s[%s]"):format(name, pick(3) > 1 and offset or "i")
  end
  for _ = 1, pick(2) do
    out[#out + 1] = ("  for i = w + %d, q.count - w - 1%s do"):format(2 + pick(3), STEPS[pick(#STEPS)])
    for _ = 1, pick(3) do
      local kind = KINDS[pick(#KINDS)]
      local column, is_conditional = "result." .. kind .. pick(math.min(WRITE[kind], 2)), pick(3) == 1
      local value = ("%s %s (%s)"):format(g.leaf(column), ({ "*", "+", "-" })[pick(3)], expression(g, 1))
      out[#out + 1] = is_conditional and ("    if %s then"):format(M.condition(g, 1)) or nil
      out[#out + 1] = ("    q.%s[i] = %s"):format(column, (FITS[kind] or "%s"):format(value))
      out[#out + 1] = is_conditional and "    end" or nil
    end
    if pick(4) == 1 then
      out[#out + 1] = ('    if %s == %d then world.emit("heard", { n = %s }) end'):format(g.leaf("given.u"), pick(9),
        expression(g, 1))
    end
    out[#out + 1] = pick(3) == 1 and "    q.result.b1[i] = q.result.b1[i - 1] ~= q.given.flag[i]" or nil
    out[#out + 1] = "  end"
  end
  return HEAD .. ("function(q, dt)\n  local w = %s\n%s\nend"):format(WIDTHS[pick(#WIDTHS)], table.concat(out, "\n"))
end

local RARE = { v = "%s", d = "%s", n = FITS.u, k = FITS.l }

-- Returns a loop without side exits that reads and writes columns of optional components, which few rows have.
local function rarely(pick)
  local g, out = { pick = pick, locals = {}, count = 0, small = true, exits = true, from = "q." }, {}
  local is_present
  function g.leaf(name)
    if is_present and pick(3) == 1 and not name:find("flag") and not name:find("kind") then
      return "q.rare." .. ({ "v", "d", "n", "k" })[pick(4)] .. "[i]"
    end
    return "q." .. name .. "[i]"
  end
  for _ = 1, 1 + pick(3) do
    is_present = pick(4) > 1
    local condition = M.condition(g, 1)
    condition = is_present and pick(3) == 1 and "q.rare.on[i]" or condition
    out[#out + 1] = (is_present and "    if q.has.rare[i] and (%s) then" or "    if %s then"):format(condition)
    for _ = 1, pick(2) do
      local field, kind = ({ "v", "d", "v", "d", "v", "n" })[pick(6)], KINDS[pick(pick(6) == 1 and #KINDS or 4)]
      local column = is_present and pick(3) == 1 and "rare." .. field
        or "result." .. kind .. pick(math.min(WRITE[kind], 2))
      local fit = column:find("^rare") and RARE[field] or FITS[kind] or "%s"
      out[#out + 1] = ("      q.%s[i] = %s"):format(column, fit:format(expression(g, 1)))
    end
    out[#out + 1] = is_present and pick(4) == 1 and "      q.rare.on[i] = not q.rare.on[i]" or nil
    out[#out + 1] = "    end"
    is_present = false
    out[#out + 1] = pick(2) == 1 and ("    q.result.r%d[i] = q.result.r%d[i] * 0.5 + %s"):format(pick(6), pick(6),
      expression(g, 1)) or nil
  end
  return HEAD .. ("function(q, dt)\n  for i = 1, q.count do\n%s\n  end\nend"):format(table.concat(out, "\n"))
end

-- Negative seeds select small programs, seeds ≥ M.QUESTIONS integer checks, seeds ≥ M.EXITS side exits, seeds ≥ M.LOOPS
-- loops that all rows execute together, seeds ≥ M.NEIGHBOURS loops that read rows at fixed distances, and seeds ≥
-- M.RARE loops over columns of optional components.
M.QUESTIONS, M.EXITS, M.LOOPS, M.NEIGHBOURS, M.RARE = 1000000, 2000000, 3000000, 4000000, 5000000

function M.system(number)
  local pick = values.stream(math.abs(require("seed") * 1000) + number)
  for _ = 1, 20 do
    pick(2)
  end
  local seed = require("seed")
  local is_small, is_question, is_exit = seed < 0, seed >= M.QUESTIONS and seed < M.EXITS,
    seed >= M.EXITS and seed < M.LOOPS
  local is_loop, is_neighbour = seed >= M.LOOPS and seed < M.NEIGHBOURS, seed >= M.NEIGHBOURS
  local is_rare = seed >= M.RARE
  local each = number % 2 == 0 and not is_question and not is_neighbour
  local several = number % 4 == 3 and seed >= 0 and seed < M.QUESTIONS
  local text = is_small and small(pick, each) or is_question and question(pick) or is_exit and exiting(pick, each)
    or is_loop and looping(pick, each) or is_rare and rarely(pick) or is_neighbour and neighbouring(pick)
    or M.text(pick, each, not each and not several and number % 3 ~= 0, several)
  local made = assert(load(text, "=program " .. number))
  local out = { query = number % 3 == 0 and { "given", "extra", "result" }
    or { "given", "result", optional = not each and { "extra" } or nil } }
  if is_rare then
    out.query = { "given", "result", optional = { "rare" } }
  elseif several then
    out = { queries = { one = { "given", "result" }, two = { "given", "extra", "result" } } }
  end
  out[each and "each" or "update"] = made()
  M.texts = M.texts or {}
  return out, text
end

return M
