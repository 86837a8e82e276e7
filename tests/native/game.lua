-- Random systems over special numbers (scenarios/native_systems.sh). They must produce the same world when interpreted,
-- when compiled by LuaJIT, and as native code. `seed.lua`, written by the scenario, selects the systems; a negative
-- seed selects sixteen small programs.
local values = require("values")

local EDGES = { -2147483648, -2147483647, -2147483646, -1, 0, 1, 2147483645, 2147483646, 2147483647 }

return {
  title = "Native",
  start = function()
    local pick = values.stream(math.abs(require("seed")))
    local all = {}
    local words = { "", "x", "y", "long" }
    world.spawn("post", { name = "post" })
    for i = 1, values.ROWS do
      local function whole()
        return pick(2) == 1 and EDGES[pick(#EDGES)] or (pick(2147483646) - 1073741823) * 2
      end
      local result = { l1 = whole(), l2 = whole(), l3 = pick(5) - 3, u1 = pick(4) - 1, u2 = 256 - pick(4),
        u3 = pick(4) - 1, t1 = pick(3) - 129, t2 = 128 - pick(3), t3 = pick(5) - 3 }
      all[i] = world.spawn("row", { result = result, given = { a = values.any(pick), b = values.any(pick),
        c = values.any(pick), d = pick(1000) / 7, word = words[pick(4)],
        flag = pick(2) == 1, kind = ({ "x", "y", "z" })[pick(3)], k = pick(3) == 1 and pick(5) - 3 or pick(2000) - 1000,
        u = pick(256) - 1, v = pick(65536) * 65536 - pick(65536), h = pick(65536) - 1,
        s = pick(65536) - 32769, w = whole() } })
    end
    for i, e in ipairs(all) do -- some rows refer to no entity or to a destroyed one
      e.given.to = pick(9) > 1 and all[pick(#all)] or pick(2) == 1 and world.find("post") or shoal.none
      if i == #all then
        for _ = 1, 9 do
          all[pick(#all)]:destroy()
        end
      end
    end
    for i = #all, 1, -1 do -- reverses the order, so that the row order differs between components
      if pick(4) > 1 and all[i]:alive() then
        all[i]:add("extra", { v = pick(100) })
      end
      if pick(9) == 1 and all[i]:alive() then
        all[i]:add("rare", { v = values.any(pick), d = values.any(pick), n = pick(256) - 1, k = pick(2000) - 1000 })
      end
    end
  end,
}
