-- Random systems in single precision (scenarios/single_precision.sh): reference.lua computes the expected value of each
-- row, then the system runs, and the results are compared. `seed.lua`, written by the scenario, selects the systems.
local program = require("program")

return {
  title = "Single precision",
  start = function()
    local pick = program.stream(require("seed"))
    local all = {}
    for i = 1, program.ROWS do
      local function any() return program.any(pick) end
      all[i] = world.spawn("row", { given = { x = any(), y = any(), z = pick(1000) / 7, d = any(), e = any(),
        i = pick(3) == 1 and (pick(2147483646) - 1073741823) * 2 or pick(2000) - 1000, s = pick(65536) - 32769,
        u = pick(256) - 1, w = pick(65536) * 65536 - pick(65536), p = pick(2) == 1, q = pick(2) == 1 } })
    end
    for i = #all, 1, -1 do -- adds `extra` in reverse order, so that its rows are ordered differently
      if pick(4) > 1 then
        all[i]:add("extra", { v = pick(100) / 8 })
      end
    end
  end,
}
