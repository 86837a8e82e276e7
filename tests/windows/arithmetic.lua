-- Computes many results of LuaJIT's arithmetic, math functions, conversions and comparisons, interpreted and compiled,
-- and prints a hash of their bits (scenarios/windows.sh).
local bit, ffi = require("bit"), require("ffi")
local number = ffi.new("union { double value; int32_t halves[2]; }")

-- Returns a hash of `steps` times 25 results, and their number.
---@param steps integer
---@return integer hash
---@return integer count
local function compute(steps)
  local hash, count, seed = 0, 0, 0.5
  local function add(...)
    for i = 1, select("#", ...) do
      local value = (select(i, ...))
      number.value = value == value and value or 0 / 0
      if value ~= value then -- the bits of a NaN may differ
        number.halves[0], number.halves[1] = 0, 0x7ff80000
      end
      hash = bit.bxor(bit.rol(hash, 5), number.halves[0], bit.rol(number.halves[1], 16))
      count = count + 1
    end
  end
  local function add_text(text)
    for i = 1, #text do
      hash = bit.bxor(bit.rol(hash, 5), text:byte(i))
    end
    count = count + 1
  end
  for step = 1, steps do
    seed = (seed * 16807.03125 + step % 7.3) % 2147483.647
    local x, y = seed - 1e6, (seed * 31.7) % 97 - 40
    -- `+ 0`, because ceil(-0.7) is 0 interpreted and -0 compiled.
    add(x + y, x - y, x * y, x / y, x % y, x ^ (y / 16), -x, math.floor(x), math.ceil(y) + 0, math.fmod(x, y))
    add(math.sqrt(seed), math.sin(x), math.cos(y), math.exp(y), math.log(seed), math.atan2(x, y), math.ldexp(y, 9))
    add(bit.tobit(x * 4099), bit.bxor(x, y), (math.frexp(x)), math.max(x, y), math.min(x, y), x < y and 1 or 0)
    add(math.tan(y) + math.pow(seed, 0.3), tonumber("1." .. step % 1000 .. "e-" .. step % 300))
    if step % 16 == 0 then
      add_text(("%.17g %a %5.3f %e %d"):format(x, y, y, x, math.floor(x)))
      add_text(tostring(x / y))
    end
  end
  return hash, count
end

local steps = 50000
jit.off()
local interpreted, count = compute(steps)
jit.on()
jit.flush()
local compiled = compute(steps)
print(("%d results interpreted: %s, compiled: %s"):format(count, bit.tohex(interpreted), bit.tohex(compiled)))
os.exit(interpreted == compiled and 0 or 1)
