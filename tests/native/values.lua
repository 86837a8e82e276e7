-- The special and random numbers on which the programs operate.
local M = { ROWS = 203, SYSTEMS = 20 }

local SPECIAL = { 0 / 0, 1 / 0, -1 / 0, 0, -0, 1, -1, 0.5, -0.5, 0.3, -0.3, 1.5, 2.5, -2.5, 0.49999999999999994, 3, 127,
  127.9, 128, -128.9, -129, 255.5, 256, 32767, 32768, -32769, 2 ^ 24 + 1, 2147483647, 2147483647.5, 2147483648,
  -2147483648.5, -2147483649, 4294967296, 2 ^ 51 - 0.5, 2 ^ 52, 2 ^ 53 + 2, 2 ^ 63, 1e22, 1e300, -1e300, 1e-310,
  4.9406564584124654e-324, -4.9406564584124654e-324, 1.1754943508222875e-38, 1e-40, -1e-45, 3.4028234663852886e38,
  3.5e38, math.pi, 1 / 3 }

-- Returns a random stream separate from the world's, so that the number of draws does not affect the world.
function M.stream(seed)
  local state = seed % 2147483647 + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end

function M.any(pick)
  return pick(3) == 1 and SPECIAL[pick(#SPECIAL)] or (pick(2000001) - 1000001) / 8 ^ pick(7)
end

local TAME = { "0", "1", "-1", "0.5", "2", "3", "-0.25", "10", "255", "1e-3", "1e10", "(0/0)", "(1/0)", "(-0.0)",
  "1e-320", "0.3", "-0.1", "16777217", "-3.5e38", "2147483647.5" }

function M.literal(pick)
  return TAME[pick(#TAME)]
end

return M
