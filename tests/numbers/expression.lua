-- Random expressions as source texts. `pick(n)` returns a random integer from 1 to n.
local values = require("values")

local M = {}

local COLUMNS = { "a[i]", "b[i]", "c[i]", "k[i]" }
local UNARY = { "math.sin(%s)", "math.cos(%s)", "math.tan(%s)", "math.asin(%s)", "math.acos(%s)", "math.atan(%s)",
  "math.exp(%s)", "math.log(%s)", "math.log10(%s)", "math.sinh(%s)", "math.cosh(%s)", "math.tanh(%s)", "(%s) ^ 2",
  "(%s) ^ 0.5", "(%s) ^ 3", "(%s) ^ -1", "2 ^ (%s)", "-(%s)", "math.floor(%s)", "math.ceil(%s)", "math.abs(%s)",
  "math.sqrt(%s)", "math.deg(%s)", "math.rad(%s)", "shoal.math.abs(%s)", "shoal.math.floor(%s)", "shoal.math.sqrt(%s)",
  "bit.tobit(%s)", "bit.bnot(%s)", "bit.bswap(%s)", "(math.modf(%s))", "select(2, math.modf(%s))", "(math.frexp(%s))",
  "#tostring(%s)", "tonumber(tostring(%s))", "(%s) %% 1", "(%s) %% 3", "(%s) + 0.3", "(%s) - 0.3", "(%s) * 0.5",
  "(%s) * 2", "0 - (%s)", "1 / (%s)", "#string.format('%%d', %s)", "tonumber(string.format('%%x', %s), 16)",
  "(string.byte('0123456789', %s) or -1)", "#string.sub('0123456789', %s)", "(string.find('aaaaaaaa', 'a', %s) or -1)",
  "string.byte(string.char((%s) %% 100 + 1))", "math.max(%s)", "#string.rep('x', (%s) %% 5)", "#bit.tohex(%s)",
  "tonumber(bit.tohex(%s), 16)" }
local BINARY = { "math.pow(%s, %s)", "(%s) ^ (%s)", "math.atan2(%s, %s)", "math.log(%s, %s)", "(%s) + (%s)",
  "(%s) - (%s)", "(%s) * (%s)", "(%s) / (%s)", "(%s) %% (%s)", "math.max(%s, %s)", "math.min(%s, %s)",
  "math.fmod(%s, %s)", "math.ldexp(%s, %s)", "shoal.math.min(%s, %s)", "shoal.math.max(%s, %s)", "bit.band(%s, %s)",
  "bit.bor(%s, %s)", "bit.bxor(%s, %s)", "bit.lshift(%s, %s)", "bit.rshift(%s, %s)", "bit.arshift(%s, %s)",
  "bit.rol(%s, %s)", "bit.ror(%s, %s)" }
local TERNARY = { "math.max(%s, %s, %s)", "math.min(%s, %s, %s)", "shoal.math.clamp(%s, %s, %s)",
  "shoal.math.lerp(%s, %s, %s)", "bit.bxor(%s, %s, %s)", "bit.band(%s, %s, %s)" }
local COMPARE = { "<", "<=", ">", ">=", "==", "~=" }

local function literal(pick)
  local v = values.SPECIAL[pick(#values.SPECIAL)]
  if v ~= v then
    return "(0/0)"
  elseif v - v ~= 0 then
    return v > 0 and "(1/0)" or "(-1/0)"
  end
  return ("(%.17g)"):format(v)
end

local function build(depth, pick)
  local kind = pick(20)
  if depth == 0 or kind <= 3 then
    return pick(4) == 1 and literal(pick) or COLUMNS[pick(4)]
  elseif kind <= 8 then
    return UNARY[pick(#UNARY)]:format(build(depth - 1, pick))
  elseif kind <= 17 then
    return BINARY[pick(#BINARY)]:format(build(depth - 1, pick), build(depth - 1, pick))
  elseif kind == 18 then
    return ("((%s) %s (%s) and (%s) or (%s))"):format(build(depth - 1, pick), COMPARE[pick(6)], build(depth - 1, pick),
      build(depth - 1, pick), build(depth - 1, pick))
  end
  return TERNARY[pick(#TERNARY)]:format(build(depth - 1, pick), build(depth - 1, pick), build(depth - 1, pick))
end

function M.random(pick)
  return build(pick(3), pick)
end

return M
