-- Shared by the systems: constants for types and states, the size of the grid, and the xoshiro128** random stream.
local rol, bxor, lshift, tobit = bit.rol, bit.bxor, bit.lshift, bit.tobit

local M = {
  NPC = 0, MONSTER = 1, HERO = 2,
  SPAWNING = 0, DEAD = 1, ALIVE = 2,
  WIDTH = 320, HEIGHT = 240,
}

-- Returns the next number of row i's stream as a signed 32-bit integer.
function M.advance(s0, s1, s2, s3, i)
  local a, b, c, d = s0[i], s1[i], s2[i], s3[i]
  local result = tobit(rol(tobit(b * 5), 7) * 9)
  local t = lshift(b, 9)
  c, d = bxor(c, a), bxor(d, b)
  s1[i], s0[i] = bxor(b, c), bxor(a, d)
  s2[i], s3[i] = bxor(c, t), rol(d, 11)
  return result
end

return M
