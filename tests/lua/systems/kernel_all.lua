-- A kernel that uses every operation kernels know, on columns of every type they know; cases/kernel.lua looks at what
-- it made.
local m = shoal.math

return {
  query = { "numbers" },
  kernel = function(q, dt)
    local n = q.numbers
    local a, b, i, flag = n.a, n.b, n.i, n.flag
    n.r1 = a + b * dt - 3
    n.r2 = -a / (b * b + 1)
    n.r3 = m.min(a, b) + m.max(a, 2) * 0.5
    n.r4 = m.abs(a) + m.sqrt(m.abs(b))
    n.r5 = m.floor(a * 8)
    n.r6 = m.clamp(a, -1, 1) + m.lerp(a, b, 0.25)
    n.r7 = m.select(m.lt(a, b), a, b) + m.select(m.ge(i, 10), 1, 2)
    n.r8 = m.select(m.all(flag, m.gt(a, 0)), 1, m.select(m.any(m.le(a, b), m.not_(flag)), 2, 3))
    n.flag = m.lt(a, b)
    n.i = (i + 1) % 100
    n.j = m.select(m.eq(i, 99), 7, n.i * 2)
    n.d = n.d + 0.0001 * dt
    n.small = n.small + 1
    n.wide = m.floor(n.d * 1000) + a
    n.a, n.b = b, a
  end,
}
