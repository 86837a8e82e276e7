-- Random numbers, many of them out of range, and a check of all values in range.
local M = {}

local SPECIAL = { 0 / 0, 1 / 0, -1 / 0, 1e300, -1e300, 0, -0.5, 0.1, 0.9, 0.95, 1, 50, 51, 100, 100.5, 101, -1, -2,
  -2.5, 255, 300, 2 ^ 31, 2 ^ 32, -2 ^ 31 }

function M.random()
  return world.random() < 0.5 and SPECIAL[world.random(#SPECIAL)] or world.random() * 300 - 100
end

local function check_value(where, name, v, low, high)
  if not (v >= low and v <= high) then
    error(("%s: %s is %s, out of [%s, %s]"):format(where, name, tostring(v), low, high))
  end
end

-- Checks that the values of all fields are in range. The bounds of `f` are f32 values: 0.1 and 0.9, rounded to f32.
function M.check_fields(where, x)
  check_value(where, "i", x.i, 0, 100)
  check_value(where, "u", x.u, 0, 50)
  check_value(where, "f", x.f, 0.1, 0.9000001)
  check_value(where, "d", x.d, -2, 1 / 0)
  check_value(where, "v.x", x.v.x, -1, 1)
  check_value(where, "v.y", x.v.y, -1, 1)
end

function M.check(where)
  for e in world.each("stat") do
    M.check_fields(where, e.stat)
    if e:has("slot") then
      M.check_fields(where, e.slot.a)
    end
  end
  M.check_fields(where, world.single.gauge)
end

return M
