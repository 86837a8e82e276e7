-- The special numbers that the expressions use, and a random stream.
local M = { ROWS = 60 }

M.SPECIAL = {
  0 / 0, -(0 / 0), 1 / 0, -1 / 0, 0, -0, 1, -1, 0.5, -0.5, 0.3, -0.3, 0.7, 1.5, -1.5, 2.5, -2.5, 0.49999999999999994, 2,
  3, -7, 10, 100.6, -0.99999, 127, 128, 127.9, -128, -128.5, -129, 255, 255.5, 256, 32767, 32768, 65535.99, 65536,
  2 ^ 24 + 1, 2147483646.5, 2147483647, 2147483647.5, 2147483648, -2147483648, -2147483648.5, -2147483649, 4294967295,
  4294967295.5, 4294967296, 2 ^ 51, 2 ^ 51 + 0.5, -2 ^ 51 - 0.5, 2 ^ 52, 2 ^ 52 + 1, 2 ^ 53, -2 ^ 53, 2 ^ 53 + 2,
  2 ^ 62, 2 ^ 63, -2 ^ 63, 2 ^ 64, 1e15 + 0.3, 1e22, 1e300, -1e300, 1.7976931348623157e308, 2.2250738585072014e-308,
  4.9406564584124654e-324, -4.9406564584124654e-324, 1e-310, 1.1754943508222875e-38, 1e-40, 3.4028234663852886e38,
  3.5e38, 1e-7, math.pi, -math.pi, 1 / 3,
}

-- Returns a random stream that is independent of the world's, which therefore does not depend on the number of draws.
function M.stream(seed)
  local state = seed % 2147483647 + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end

return M
