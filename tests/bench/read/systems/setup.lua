local bxor, rshift = bit.bxor, bit.rshift

-- Returns the same number as scatter(i) of plain.h.
local function scatter(i)
  local h = (i + 1) * 2654435761 % 2 ^ 32
  return bxor(h, rshift(h, 15)) % 2 ^ 32
end

return {
  phase = "input",
  start = function()
    local count = world.single.bench.count
    local es = world.spawn_many("fighter", count, function(q)
      for i = 1, q.count do q.health.hp[i] = (i - 1) % 100 end
    end)
    for i = 1, count do
      es[i]:set("target", { entity = es[scatter(i - 1) % count + 1] })
    end
  end,
}
