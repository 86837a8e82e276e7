-- Vectors, quaternions and matrices as values: comparison with plain numbers, access to the world, and errors.
local vec2, vec3, vec4, quat, mat4 = shoal.vec2, shoal.vec3, shoal.vec4, shoal.quat, shoal.mat4
local HUGE = 1 / 0

local function random_number()
  return world.random() * 4 - 2
end

local function to_list(v)
  local out = {}
  for i = 1, #v do
    out[i] = v[i]
  end
  return out
end

local function check_near(t, v, wanted)
  t.equal(#v, #wanted)
  for i = 1, #wanted do
    t.near(v[i], wanted[i], 1e-5)
  end
end

-- Returns the expected results: f applied to the elements of the lists `a` and `b`, or of `a` and the number `b`.
local function map_lists(a, b, f)
  local out = {}
  for i = 1, #a do
    out[i] = f(a[i], type(b) == "table" and b[i] or b)
  end
  return out
end

local function dot_product(a, b)
  local sum = 0
  for i = 1, #a do
    sum = sum + a[i] * b[i]
  end
  return sum
end

local OPERATIONS = {
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a * b end,
  function(a, b) return a / b end,
}

local function check_kind(t, make, count)
  local a, b = {}, {}
  for i = 1, count do
    a[i], b[i] = random_number(), random_number() + 4
  end
  local v, w, s = make(unpack(a)), make(unpack(b)), random_number() + 4
  check_near(t, v, a)
  a, b = to_list(v), to_list(w) -- the components are now rounded to 32-bit floats
  for _, f in ipairs(OPERATIONS) do
    check_near(t, f(v, w), map_lists(a, b, f))
  end
  check_near(t, v * s, map_lists(a, s, OPERATIONS[3]))
  check_near(t, s * v, map_lists(a, s, OPERATIONS[3]))
  check_near(t, v / s, map_lists(a, s, OPERATIONS[4]))
  check_near(t, -v, map_lists(a, -1, OPERATIONS[3]))
  t.equal(v:dot(w), dot_product(a, b))
  t.equal(v:length(), math.sqrt(dot_product(a, a)))
  check_near(t, v:lerp(w, 0.25), map_lists(a, b, function(x, y) return x + (y - x) * 0.25 end))
  check_near(t, w:normalize(), map_lists(b, math.sqrt(dot_product(b, b)), OPERATIONS[4]))
  t.near(v:distance(w), (v - w):length(), 1e-6)
  t.equal(v, make(unpack(a)))
  t.is_false(v == w)
end

-- Returns the matrix product a · b of lists in column order.
local function matrix_product(a, b)
  local out = {}
  for column = 0, 3 do
    for row = 0, 3 do
      local sum = 0
      for k = 0, 3 do
        sum = sum + a[k * 4 + row + 1] * b[column * 4 + k + 1]
      end
      out[column * 4 + row + 1] = sum
    end
  end
  return out
end

local function random_matrix()
  local out = {}
  for i = 1, 16 do
    out[i] = random_number()
  end
  return out
end

local function random_rotation()
  return quat.axis_angle(vec3(random_number(), random_number(), random_number() + 3), random_number())
end

-- Calls f(1e6) four times, so that its loop gets compiled. Returns the smallest heap growth of a call in KiB.
local function measure_heap_growth(f)
  local min_growth = HUGE
  for _ = 1, 4 do
    collectgarbage()
    local before = collectgarbage("count")
    f(1e6)
    min_growth = math.min(min_growth, collectgarbage("count") - before)
  end
  return min_growth
end

-- Returns true if loops get compiled: compiled code does not allocate a table that stays local to its loop.
local function is_compiled()
  return measure_heap_growth(function(n)
    local sum = 0
    for i = 1, n / 20 do
      local t = { i }
      sum = sum + t[1]
    end
    return sum
  end) < 64
end

local function find_row(q, e)
  for i = 1, q.count do
    if q.entity[i] == e then
      return i
    end
  end
end

return {
  outside = {
    ["vectors match a model with lists of numbers"] = function(t)
      for _ = 1, 200 do
        check_kind(t, vec2, 2)
        check_kind(t, vec3, 3)
        check_kind(t, vec4, 4)
      end
    end,
    ["matrix products match a naive product, and inverses and projections give known points"] = function(t)
      for _ = 1, 200 do
        local a, b = random_matrix(), random_matrix()
        local v = { random_number(), random_number(), random_number(), random_number() }
        local m, n = mat4(a), mat4(unpack(b))
        check_near(t, m * n, matrix_product(a, b))
        check_near(t, m:transpose() * n:transpose(), to_list((n * m):transpose()))
        local column = { v[1], v[2], v[3], v[4], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
        check_near(t, m * vec4(v), { unpack(matrix_product(a, column), 1, 4) })
      end
      local m = mat4.translation(1, 2, 3) * mat4.rotation(vec3(0, 1, 0), 0.7) * mat4.scaling(vec3(2, 3, 4))
      check_near(t, m * m:inverse(), to_list(mat4()))
      t.near(m:determinant(), 24, 1e-4)
      t.equal(m:get(2, 4), 2)
      check_near(t, m:point(vec3()), { 1, 2, 3 })
      check_near(t, m:direction(vec3()), { 0, 0, 0 })
      check_near(t, mat4.look_at(vec3(0, 0, 5), vec3()):point(vec3(0, 0, 1)), { 0, 0, -4 })
      local seen = mat4.perspective(math.pi / 2, 2, 1, 10) * vec4(2, 1, -1, 1)
      check_near(t, seen / seen.w, { 1, 1, -1, 1 })
      check_near(t, mat4.ortho(0, 4, 0, 2, -1, 1):point(vec3(4, 0, 0)), { 1, -1, 0 })
    end,
    ["quaternions rotate like their matrices"] = function(t)
      for _ = 1, 200 do
        local q, r, v = random_rotation(), random_rotation(), vec3(random_number(), random_number(), random_number())
        check_near(t, q * v, to_list(mat4(q):point(v)))
        check_near(t, (q * r) * v, to_list(q * (r * v)))
        check_near(t, mat4(q * r), to_list(mat4(q) * mat4(r)))
        check_near(t, q:inverse() * (q * v), to_list(v))
        check_near(t, mat4(q):quat() * v, to_list(q * v))
        check_near(t, quat.axis_angle(q:axis(), q:angle()) * v, to_list(q * v))
        check_near(t, q:slerp(r, 1) * v, to_list(r * v))
      end
      check_near(t, quat.axis_angle(vec3(0, 0, 1), math.pi / 2) * vec3(1, 0, 0), { 0, 1, 0 })
      check_near(t, quat():slerp(quat.axis_angle(vec3(0, 0, 1), 2), 0.5), to_list(quat.axis_angle(vec3(0, 0, 1), 1)))
      check_near(t, vec3(1, 0, 0):cross(vec3(0, 1, 0)), { 0, 0, 1 })
      t.near(vec2(1, 0):angle(vec2(0, 2)), math.pi / 2, 1e-6)
    end,
    ["a thousand operations on vectors give the expected values"] = function(t)
      local v, m, q = vec3(0.1, -0.7, 1.3), mat4(), quat.axis_angle(vec3(1, 2, 3), 0.3)
      local turned = mat4(q) * mat4.translation(0.3, 0.2, 0.1)
      for i = 1, 1000 do
        v = (q * v + v:cross(vec3(0.1, 0.2, 0.3)) * (1 / i)):normalize() * 1.01
        m = turned * m
      end
      t.equal(tostring(v), "vec3(0.82125854, 0.4853237, 0.33180615)")
      t.equal(tostring(m:inverse() * vec4(v, 1)), "vec4(-71.23234, -140.90465, -214.73091, 1)")
      local back = mat4.perspective(1.1, 1.7, 0.1, 90):inverse()
      t.equal(tostring(back * vec4(v, 1)), "vec4(0.85598046, 0.29755446, -1, 3.3483682)")
    end,
    ["a compiled loop over vectors allocates nothing"] = function(t)
      if not is_compiled() then
        t.skip("scripts are interpreted here")
      end
      local step, turn = vec3(0.5, 0.25, 0.125), quat.axis_angle(vec3(0, 0, 1), 0.001)
      local m = mat4(turn)
      t.is_true(measure_heap_growth(function(n)
        local p = vec3(0, 0, 0)
        for _ = 1, n do
          p = p + step * 0.5 - vec3(0.1, 0, 0)
        end
      end) < 64)
      t.is_true(measure_heap_growth(function(n)
        local u, w = vec3(1, 0, 0), vec4(1, 0, 0, 1)
        for _ = 1, n do
          u, w = (turn * u):normalize(), m * w
        end
      end) < 64)
    end,
    ["columns, entities, events, singletons and overrides accept and return vectors"] = function(t)
      local e = world.spawn(nil, { every_type = { v2 = vec2(5, 6), v3 = vec3(7, 8, 9), q = quat(0, 1, 0, 0) } })
      t.equal(vec2(e.every_type.v2), vec2(5, 6))
      e.every_type.v4 = vec4(vec3(e.every_type.v3), 1)
      e:set("every_type", { v2 = vec2(1.5, 2.5) })
      local q = world.query { "every_type" }
      local at, rows = find_row(q, e), q.every_type
      t.equal(rows.v2[at], vec2(1.5, 2.5))
      t.equal(rows.v3.y[at], 8)
      t.equal(rows.v4[at], vec4(7, 8, 9, 1))
      t.equal(rows.q[at], quat(0, 1, 0, 0))
      rows.v3[at] = rows.v3[at] * 2
      rows.v2[at] = { 9, 10 }
      rows.v4[at] = "#ff000000"
      t.equal(vec3(e.every_type.v3), vec3(14, 16, 18))
      t.equal(rows.v2[at], vec2(9, 10))
      t.equal(rows.v4[at], vec4(1, 0, 0, 0))
      e.every_type.m = mat4.translation(1, 2, 3)
      t.equal(e.every_type.m[14], 2)
      t.equal(mat4(rows.m[at]):point(vec3()), vec3(1, 2, 3))
      rows.m[at] = mat4()
      t.equal(mat4(e.every_type.m), mat4())
      local look = world.lookup("every_type")
      look.v2[e] = vec2(3, 4)
      t.equal(look.v2[e], vec2(3, 4))
      e:destroy()
      t.equal(look.v2[e], nil)
      world.single.score.best = vec2(8, 9)
      t.equal(vec2(world.single.score.best), vec2(8, 9))
      world.single.score.best = vec2(3, 4)
    end,
    ["vectors can be assigned to named instances and encoded as JSON"] = function(t)
      local e = world.spawn(nil, { nozzle = { left = { colour = vec3(0.1, 0.2, 0.3) } } })
      e.nozzle.left.colour = vec3(e.nozzle.left.colour) * 2
      t.equal(vec3(e.nozzle.left.colour), vec3(0.1, 0.2, 0.3) * 2)
      t.equal(json.encode { at = vec3(0.1, 2, -3) }, '{"at":[0.1,2,-3]}')
      e:destroy()
    end,
    ["vectors can be swizzled and built from vectors"] = function(t)
      local v = vec4(1, 2, 3, 4)
      t.equal(v.xy, vec2(1, 2))
      t.equal(v.wzyx, vec4(4, 3, 2, 1))
      t.equal(v.bgr, vec3(3, 2, 1))
      t.equal(vec3(2), vec3(2, 2, 2))
      t.equal(vec3(), vec3(0, 0, 0))
      t.equal(vec4(v.xy, v.zw), v)
      t.equal(vec3 { 1, 2, 3 }, v.xyz)
      t.equal(vec3 { x = 1, y = 2, z = 3 }, v.xyz)
      t.equal(quat(), quat(0, 0, 0, 1))
      t.equal(tostring(vec3(0.1, 1e10, -HUGE)), "vec3(0.1, 10000000000, -inf)")
      t.equal(vec3():normalize(), vec3())
      local x, y, z = v.xyz:unpack()
      t.equal(x + y + z, 6)
    end,
    ["a vector with a NaN is not equal to itself"] = function(t)
      local v = vec2(0 / 0, 1)
      t.is_true(v.x ~= v.x)
      t.is_false(v == v)
      t.equal(tostring(v), "vec2(nan, 1)")
      t.is_true(mat4.scaling(0, 1, 1):inverse()[1] ~= 0)
    end,
    ["invalid vector operations are errors"] = function(t)
      local v, m = vec3(1, 2, 3), mat4()
      t.fails(function() return v + 1 end, "cannot add a vec3 and a number", "shoal.vec3(n)")
      t.fails(function() return 1 - v end, "cannot compute a number minus a vec3")
      t.fails(function() return v * vec2(1, 2) end, "cannot multiply a vec3 and a vec2")
      t.fails(function() return v + nil end, "cannot add a vec3 and nil")
      t.fails(function() return vec3(1, 2) end, "shoal.vec3: expected 3 numbers, got 2")
      t.fails(function() return vec2(1, 2, 3) end, "shoal.vec2: expected 2 numbers, got 3")
      t.fails(function() return vec2("1", 2) end, "a component of a vector must be a number, got text \"1\"")
      t.fails(function() return v.lenght end, "a vec3 has no lenght (did you mean length?)")
      t.fails(function() return v.w end, "a vec3 has no w")
      t.fails(function() v.x = 1 end, "x of a vec3 cannot be assigned", "v = shoal.vec3(")
      t.fails(function() return v:dot(vec2(1, 2)) end, "vec3:dot: expected a vec3, got a vec2")
      t.fails(function() return v.length(1) end, "vec3:length: expected a vec3, got 1: call it with a colon")
      t.fails(function() return v < v end, "cannot order")
      t.fails(function() return v() end, "a vec3 supports + - * / and ==")
      t.fails(function() return v * m end, "use m:point(v) for a position")
      t.fails(function() return m * v end, "m:point(v)")
      t.fails(function() return m:inverze() end, "a mat4 has no inverze (did you mean inverse?)")
      t.fails(function() return mat4(1, 2) end, "16 numbers", "number 3 is nil")
      t.fails(function() return quat.axis_angel(v, 1) end, "did you mean axis_angle?")
      t.fails(function() return quat.axis_angle(1, v) end, "a vec3 and an angle in radians, got 1 and a vec3")
    end,
    ["a vector field can be assigned from a different vector field"] = function(t)
      local a = world.spawn(nil, { tuned = { aim = { 4, 5, 6 } } })
      local b = world.spawn(nil, { tuned = {}, nozzle = { l = {} } })
      local best = world.single.score.best
      for _, place in ipairs { { a.tuned, "aim" }, { b.nozzle.l, "colour" }, { b.tuned, "aim" } } do
        for _, to in ipairs { { b.nozzle.l, "colour" }, { b.tuned, "aim" } } do
          to[1][to[2]] = vec3(0)
          place[1][place[2]] = vec3(4, 5, 6)
          to[1][to[2]] = place[1][place[2]]
          t.equal(vec3(to[1][to[2]]), vec3(4, 5, 6))
        end
      end
      local plane = world.spawn(nil, { tuned = { plane = best, aim = a.tuned.aim } }).tuned
      t.equal(vec2(plane.plane), vec2(best))
      t.equal(vec3(plane.aim), vec3(4, 5, 6))
      world.query({ "tuned" }).tuned.plane[1] = best
      t.equal(vec2(a.tuned.plane), vec2(best))
      a:set("tuned", { plane = { 1, 2 } })
      a:set("tuned", { plane = best })
      t.equal(vec2(a.tuned.plane), vec2(best))
      t.fails(function() a.tuned.plane = a.tuned.aim end, "tuned.plane must be a vec2", "got a vec3")
      t.fails(function() a.tuned.aim = best end, "tuned.aim must be a vec3", "got a vec2")
      t.fails(function() return vec2(1, 2) == best end, "cannot compare", "shoal.vec2(")
      t.fails(function() return vec3() == a.tuned.aim end, "cannot compare", "shoal.vec3(")
      t.fails(function() return vec3() + a.tuned.aim end, "a component's vec3 (shoal.vec3(")
      t.is_false(vec3() == nil) -- luacheck: ignore
      t.fails(function() return "at " .. vec3() .. nil end, "a vec3 and nil", "concatenate")
      t.equal("at " .. vec2(1, 2) .. 3, "at vec2(1, 2)3")
      for e in world.each { "tuned" } do
        e:destroy()
      end
    end,
    ["an error about a vector field names the expected type"] = function(t)
      local e = world.spawn(nil, { tuned = {} })
      t.fails(function() e.tuned.aim = vec2(1, 2) end, "tuned.aim must be a vec3", "got a vec2")
      t.fails(function() e.tuned.speed = vec2(1, 2) end, "tuned.speed must be a number")
      t.fails(function() world.spawn(nil, { tuned = { aim = vec4() } }) end, "tuned.aim must be a vec3", "got a vec4")
      t.fails(function() world.emit("poked", { at = vec3() }) end, "event poked.at must be a vec2", "got a vec3")
      local q = world.query { "tuned" }
      t.fails(function() q.tuned.aim[1] = vec2(1, 2) end, "tuned.aim must be a vec3", "got a vec2")
      t.fails(function() q.tuned.aim[1] = 5 end, "tuned.aim must be a vec3")
      t.fails(function() q.tuned.aim[1] = { 1, "x" } end, "tuned.aim.y must be a number")
      t.fails(function() return q.tuned.aim[q.count + 1] end, "is out of range")
      t.fails(function() q.tuned.aim[0] = vec3() end, "is out of range")
      t.fails(function() return q.tuned.aim.w end, "tuned.aim has no component w")
      t.equal(vec3(e.tuned.aim), vec3(1, 2, 3))
      t.fails(function() return e.tuned.aim + vec3() end, "shoal.vec3(e.tuned.aim)")
      e:destroy()
    end,
    ["a vector with one invalid component writes nothing"] = function(t)
      local e, score = world.spawn(nil, { tuned = {}, nozzle = { left = {} } }), world.single.score
      local best = vec2(score.best)
      t.fails(function() e.tuned.aim = { 9, 9, "x" } end, "tuned.aim.z must be a number")
      t.fails(function() e.nozzle.left.colour = { 9, {} } end, "nozzle.colour.y must be a number")
      t.fails(function() score.best = { 9, "x" } end, "score.best.y must be a number")
      t.equal(vec3(e.tuned.aim), vec3(1, 2, 3))
      t.equal(vec3(e.nozzle.left.colour), vec3(1, 2, 3))
      t.equal(vec2(score.best), best)
      e:destroy()
    end,
    ["an invalid index of a vector or matrix is an error"] = function(t)
      local v, m = vec3(1, 2, 3), mat4()
      for _, k in ipairs { 0, -1, 4, 5, 1.5, 1e9, -1e9, HUGE, "xx1", "", "__index", true } do
        t.fails(function() return v[k] end, type(k) == "number" and "of a vec3 is out of range" or "a vec3 has no")
      end
      for _, k in ipairs { 0, -1, 17, 1.5, 1e9, HUGE, "0", true } do
        t.fails(function() return m[k] end, type(k) == "number" and "of a mat4 is out of range" or "a mat4 has no")
        t.fails(function() m[k] = 1 end, "cannot be assigned")
      end
      for _, other in ipairs { 0LL, 1ULL, 2i } do
        t.is_false(pcall(function() return v + other end))
        t.is_false(pcall(function() return v * other end))
        t.is_false(pcall(function() return other - v end))
        t.is_false(v == other)
      end
      t.equal(getmetatable(v), "ffi")
      t.fails(function() shoal.vec3.zero = v end, "cannot be assigned") -- luacheck: ignore 122
      t.is_false(pcall(rawset, shoal.vec3, "zero", v))
      t.fails(function() return v.unpack(m) end, "vec3:unpack: expected a vec3")
    end,
  },
}
