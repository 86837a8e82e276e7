-- Random kernels over a few hundred rows; tests/scenarios/kernels.sh makes a system for each. With special.lua there
-- are rows of numbers that are no ordinary ones.
local SPECIAL = { 0 / 0, 1 / 0, -1 / 0, -0, 1e-40, -1e-40, 1.1754943508222875e-38, 3e-39, 1e-310, 3e38, -3e38, 16777217,
  2147483647, -2147483648, 2147483520, 0.5, -0.5, 8388607.5, 1e19, 4.5e15 }

local function special()
  local v = SPECIAL[world.random(#SPECIAL)]
  return world.random(3) == 1 and world.random() or v
end

local function fill(q)
  for _, name in ipairs { "x", "y", "z", "d", "i" } do
    local column = q.a[name]
    for i = 1, q.count do
      column[i] = special()
    end
  end
  for i = 1, q.count do
    q.b.x[i], q.b.s[i], q.b.u[i], q.b.n[i] = special(), special(), special(), special()
  end
end

return {
  title = "Kernels",
  start = function()
    for i = 1, require("special") and 23 or 61 do
      local whole = function(n) return world.random(-n, n) end
      world.spawn(nil, {
        a = { x = whole(100), y = whole(100), z = whole(9), d = whole(100), i = whole(100),
          at = { x = whole(50), y = whole(50) } },
        b = i % 3 > 0 and { x = whole(100), s = whole(100), w = world.random(0, 100), n = whole(100),
          u = world.random(0, 100),
          on = i % 2 == 0 } or nil,
      })
    end
    if require("special") then
      world.spawn_many("row", 60, fill)
    end
  end,
}
