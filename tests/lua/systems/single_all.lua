-- Operations on columns of every type in single precision; cases/single.lua checks the results.
local m = shoal.math

return {
  query = { "numbers" },
  precision = "single",
  update = function(q, dt)
    local n = q.numbers
    for k = 1, q.count do
      local a, b, i, flag = n.a[k], n.b[k], n.i[k], n.flag[k]
      n.r1[k] = a + b * dt - 3
      n.r2[k] = -a / (b * b + 1)
      n.r3[k] = math.min(a, b) + math.max(a, 2) * 0.5
      n.r4[k] = math.abs(a) + math.sqrt(math.abs(b))
      n.r5[k] = math.floor(a * 8)
      n.r6[k] = m.clamp(a, -1, 1) + m.lerp(a, b, 0.25)
      n.r7[k] = (a < b and a or b) + (i >= 10 and 1 or 2)
      n.r8[k] = flag and a > 0 and 1 or (a <= b or not flag) and 2 or 3
      n.flag[k] = a < b
      n.i[k] = (i + 1) % 100
      n.j[k] = i == 99 and 7 or n.i[k] * 2
      n.d[k] = n.d[k] + 0.0001 * dt
      n.small[k] = n.small[k] + 1
      n.wide[k] = math.floor(n.d[k] * 1000) + a
      n.a[k], n.b[k] = b, a
    end
  end,
}
