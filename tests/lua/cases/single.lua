-- Tests of single-precision systems. systems/single_all.lua runs once per tick over entities with `numbers`.
local function spawn_numbers(list)
  local out = {}
  for i, v in ipairs(list) do
    out[i] = world.spawn(nil, { numbers = { a = v[1], b = v[2], i = v[3], flag = v[4] } })
  end
  return out
end

local function check_results(t, e, a, b, i, flag)
  local n, dt = e.numbers, 1 / 60
  t.near(n.r1, a + b * dt - 3, 1e-3)
  t.near(n.r2, -a / (b * b + 1), 1e-4)
  t.near(n.r3, math.min(a, b) + math.max(a, 2) * 0.5, 1e-3)
  t.near(n.r4, math.abs(a) + math.sqrt(math.abs(b)), 1e-3)
  t.near(n.r6, math.max(-1, math.min(1, a)) + a + (b - a) * 0.25, 1e-3)
  t.near(n.r7, math.min(a, b) + (i >= 10 and 1 or 2), 1e-3)
  t.equal(n.r8, (flag and a > 0) and 1 or (a <= b or not flag) and 2 or 3)
  t.equal(n.flag, a < b)
  t.equal(n.i, (i + 1) % 100)
  t.equal(n.j, i == 99 and 7 or n.i * 2)
  t.equal(n.small, 1)
  t.near(n.a, b)
  t.near(n.b, a)
end

-- Compares exactly: NaN equals NaN, and 0 differs from -0.
local function is_identical(got, wanted)
  return got == wanted and 1 / got == 1 / wanted or got ~= got and wanted ~= wanted
end

return {
  inside = {
    ["in single precision, min and max match shoal.math for NaN, zeros and infinities"] = function(t)
      local NAN, HUGE = 0 / 0, 1 / 0
      local values, es = { NAN, HUGE, -HUGE, 0, -0, 1.5, -2 }, {}
      for k, a in ipairs(values) do
        for n, b in ipairs(values) do
          es[#es + 1] = world.spawn(nil, { extremes = { a = a, b = b, da = a, db = b, i = k % 5, j = n % 5 } })
        end
      end
      t.wait()
      for _, e in ipairs(es) do
        local x = e.extremes
        for _, of in ipairs { { x.a, x.b, x.low, x.high }, { x.da, x.db, x.dlow, x.dhigh },
          { x.i, x.j, x.ilow, x.ihigh } } do
          local a, b, low, high = unpack(of)
          if not is_identical(low, shoal.math.min(a, b)) or not is_identical(high, shoal.math.max(a, b)) then
            error(("of %s and %s the smaller is %s and the larger %s"):format(a, b, low, high))
          end
        end
        e:destroy()
      end
      t.wait()
    end,
    ["single precision gives the same results as Lua for number and boolean columns"] = function(t)
      local list = {}
      for k = 1, 300 do
        list[k] = { (k - 150) * 0.3125, (k % 17) - 8.25, k % 100, k % 3 == 0 }
      end
      local es = spawn_numbers(list)
      t.wait()
      for k, v in ipairs(list) do
        check_results(t, es[k], v[1], v[2], v[3], v[4])
        t.equal(es[k].numbers.r5, math.floor(v[1] * 8))
      end
      for _, e in ipairs(es) do
        e:destroy()
      end
      t.wait()
    end,
    ["single precision gives the same results if the rows of two components have different orders"] = function(t)
      local es = {}
      for k = 1, 3000 do -- enough rows for more than one block
        es[k] = world.spawn(nil, { numbers = { pair = k } })
      end
      t.wait()
      for k = 3000, 1, -1 do -- gives the rows of motion the reverse order
        es[k]:add("motion", { vx = k / 4 })
      end
      t.wait()
      for k = 1, 3000 do
        t.equal(es[k].numbers.pair, k + k / 4)
        t.equal(es[k].motion.vy, 2 * (k + k / 4))
        es[k]:destroy()
      end
      t.wait()
    end,
  },
}
