-- Chooses the components of each entity; plain/frame7.c uses the same rules.
local rules = require "lib.rules"
local bxor, rshift = bit.bxor, bit.rshift

-- Returns scatter(i) of plain.h as an unsigned 32-bit integer. The product is computed in halves, which are exact.
local function scatter(i)
  local n = i + 1
  local h = (n % 65536 * 2654435761 + math.floor(n / 65536) * 2654435761 % 65536 * 65536) % 2 ^ 32
  return bxor(h, rshift(h, 15)) % 2 ^ 32
end

local function fill(q)
  local x, y, vx, vy, data = q.position.x, q.position.y, q.velocity.x, q.velocity.y, q.data
  for row = 1, q.count do
    local i = row - 1
    x[row], y[row] = scatter(i) % rules.WIDTH, scatter(i + q.count) % rules.HEIGHT
    vx[row], vy[row] = i % 7, i % 5
    data.thingy[row] = i % 1000
    data.s0[row], data.s1[row] = bit.tobit(scatter(i * 4)), bit.tobit(scatter(i * 4 + 1))
    data.s2[row], data.s3[row] = bit.tobit(scatter(i * 4 + 2)), bit.tobit(scatter(i * 4 + 3))
  end
end

local function make_player(e, i, count)
  local at = (i + count) * 4
  e:add("player", { s0 = bit.tobit(scatter(at)), s1 = bit.tobit(scatter(at + 1)), s2 = bit.tobit(scatter(at + 2)),
    s3 = bit.tobit(scatter(at + 3)), type = i % 6 == 0 and rules.HERO or i % 6 == 2 and rules.MONSTER or rules.NPC })
  e:add("health", { hp = 60 + i % 41, max = 60 + i % 41, status = rules.SPAWNING })
  e:add("damage", { attack = 4 + i % 37, defence = 2 + i % 11 })
  e:add("glyph")
end

return {
  phase = "input",
  start = function()
    local count = world.single.bench.count
    local things = world.spawn_many("thing", count, fill)
    for i = 0, count - 1 do
      local e, third_quarter = things[i + 1], i >= count / 2 and i < count / 4 * 3
      if i % 2 == 0 then make_player(e, i, count) end
      if third_quarter and i % 64 == 0 then e:remove("velocity") end
      if third_quarter and i % 64 == 32 then e:remove("data") end
    end
    world.spawn_many("cell", rules.WIDTH * rules.HEIGHT)
  end,
}
