-- Numbers in fields and library functions behave the same in compiled and in interpreted code. Random expressions:
-- tests/numbers.
local NAN, HUGE = 0 / 0, 1 / 0

local function spawn_one(values)
  return world.spawn(nil, { every_type = values or {} })
end

-- field → { value written, value stored }
local KEPT = {
  i8 = { { 127.9, 127 }, { 128, 127 }, { -128.9, -128 }, { -1e300, -128 }, { -0.5, 0 } },
  i16 = { { 32768, 32767 }, { -32769, -32768 }, { 99.99, 99 } },
  i32 = { { 2147483647.9, 2147483647 }, { 2 ^ 31, 2147483647 }, { -2 ^ 40, -2147483648 }, { -HUGE, -2147483648 } },
  u8 = { { 255.5, 255 }, { 256, 255 }, { -0.9, 0 }, { -1, 0 } },
  u16 = { { 65536, 65535 }, { -HUGE, 0 } },
  u32 = { { 4294967295.5, 4294967295 }, { 2 ^ 53, 4294967295 }, { -3, 0 } },
}

-- Calls check(field, given, kept) for every integer field.
local function for_each_kept(check)
  for field, list in pairs(KEPT) do
    for _, pair in ipairs(list) do
      check(field, pair[1], pair[2])
    end
    check(field, NAN, 0)
  end
end

return {
  outside = {
    ["integer fields truncate, clamp to their range and turn NaN into 0, no matter how they are written"] = function(t)
      local e = spawn_one()
      local q = world.query { "every_type" }
      local at
      for i = 1, q.count do
        at = q.entity[i] == e and i or at
      end
      local look = world.lookup("every_type")
      for_each_kept(function(field, given, kept)
        q.every_type[field][at] = given
        t.equal(q.every_type[field][at], kept)
      end)
      for_each_kept(function(field, given, kept)
        look[field][e] = given
        t.equal(look[field][e], kept)
      end)
      for_each_kept(function(field, given, kept)
        e.every_type[field] = given
        t.equal(e.every_type[field], kept)
        e:set("every_type", { [field] = 1 })
        e:set("every_type", { [field] = given })
        t.equal(e.every_type[field], kept)
        local other = spawn_one { [field] = given }
        t.equal(other.every_type[field], kept)
        other:destroy()
      end)
      e:destroy()
    end,
    ["subtracting 0.3 from a thousand integers gives the same result in all rows"] = function(t)
      local es = world.spawn_many(nil, 1000, function() end)
      for _, e in ipairs(es) do
        e:add("every_type", { i32 = 100 })
      end
      local q = world.query { "every_type" }
      local i32 = q.every_type.i32
      for i = 1, q.count do
        i32[i] = i32[i] - 0.3
      end
      for i = 1, q.count do
        t.equal(i32[i], 99)
      end
      for _, e in ipairs(es) do
        e:destroy()
      end
    end,
    ["an integer field of a singleton clamps to its range"] = function(t)
      world.single.score.value = 1e12
      t.equal(world.single.score.value, 2147483647)
      world.single.score.value = 0
    end,
    ["numbers are never NaN, unless the field permits it"] = function(t)
      local function spawn_moving(transform)
        return world.spawn(nil, { transform = transform or {}, body = {}, mover = {}, path = {}, swept = {},
          camera = {}, emitter = {}, sprite = {}, every_type = {} })
      end
      local e = spawn_moving { x = 5, scale_x = 2 }
      e.transform.x, e.transform.scale_x, e.body.radius, e.mover.vx, e.path.speed = NAN, NAN, NAN, NAN, NAN
      e.camera.zoom, e.emitter.rate, e.sprite.tint.x = NAN, NAN, NAN
      t.equal(e.transform.x, 0)
      t.equal(e.transform.scale_x, 1)
      t.equal(e.body.radius, 10)
      t.equal(e.mover.vx, 0)
      t.equal(e.path.speed, e.path.speed)
      t.equal(e.camera.zoom, 1)
      t.equal(e.emitter.rate, 20)
      t.equal(e.sprite.tint.x, 1)
      local look, q = world.lookup("transform"), world.query { "transform", "camera" }
      look.y[e] = NAN
      t.equal(look.y[e], 0)
      for i = 1, q.count do
        q.transform.angle[i] = NAN
        t.equal(q.transform.angle[i], 0)
      end
      e:set("transform", { scale_y = NAN })
      t.equal(e.transform.scale_y, 1)
      e:set("sprite", { tint = { 1, NAN, 0, 1 } })
      t.equal(e.sprite.tint.y, 1)
      local other = spawn_moving { x = NAN, y = 3 }
      t.equal(other.transform.x, 0)
      t.equal(other.transform.y, 3)
      local many = world.spawn_many(nil, 2, function() end)
      many[1]:add("transform", { x = NAN })
      t.equal(many[1].transform.x, 0)
      e.every_type.f, e.every_type.d, e.transform.x = NAN, NAN, HUGE
      t.is_true(e.every_type.f ~= e.every_type.f and e.every_type.d ~= e.every_type.d)
      t.equal(e.transform.x, HUGE)
      e:add("shield", { power = NAN })
      t.equal(e.shield.power, 5)
      e.shield.power = NAN
      t.equal(e.shield.power, 5)
      for _, one in ipairs { e, other, many[1], many[2] } do
        one:destroy()
      end
    end,
    ["a string in a number field is an error that names the field"] = function(t)
      local e = spawn_one()
      local q = world.query { "every_type" }
      t.fails(function() q.every_type.i32[1] = "5" end, "every_type.i32 must be a number, got text \"5\"")
      t.fails(function() e.every_type.u8 = true end, "must be a number, got true")
      e:destroy()
    end,
    ["math.max and math.min return the second of two equal or NaN arguments"] = function(t)
      for _, lib in ipairs { math, shoal.math } do
        t.equal(lib.max(NAN, 3), 3)
        t.is_true(lib.max(3, NAN) ~= lib.max(3, NAN))
        t.equal(1 / lib.max(0, -0), -HUGE)
        t.equal(1 / lib.min(-0, 0), HUGE)
        t.equal(lib.max(-HUGE, 2), 2)
      end
      t.equal(math.max(1, 7, "12", 3), 12)
      t.equal(math.min(4), 4)
      t.fails(function() math.max(1, {}) end, "bad argument #2 to 'max'")
      t.fails(function() math.min() end, "bad argument #1 to 'min'")
    end,
    ["math.ceil of a small negative number is -0"] = function(t)
      for _, v in ipairs { -0.3, -0.5, -0.7, -0 } do
        t.equal(1 / math.ceil(v), -HUGE)
      end
      t.equal(math.ceil("2.5"), 3)
    end,
    ["a loop from -n starts at 0, not -0, for n = 0, compiled and interpreted"] = function(t)
      local loaded = assert(load("local out = {} return function(n) for i = -n, n do out[1] = i * 3 end "
        .. "return 1 / out[1] end"))()
      local out = {}
      local function loop_from(n)
        for i = -n, n do
          out[1] = i * 3
        end
        return 1 / out[1]
      end
      for _, first in ipairs { loaded, loop_from } do
        t.equal(first(0), HUGE)
        for _ = 1, 30 do
          first(50)
        end
        t.equal(first(0), HUGE)
      end
    end,
    ["bit operations take numbers modulo 2^32, and 0 for NaN and infinity"] = function(t)
      t.equal(bit.tobit(2 ^ 32 + 5), 5)
      t.equal(bit.tobit(2 ^ 53 + 2 ^ 31), -2147483648)
      t.equal(bit.bor(NAN, HUGE, -HUGE, 0), 0)
      t.equal(bit.band(2 ^ 60 + 2 ^ 40, -1), 0)
      t.equal(bit.bxor(1, 2, 4, 8), 15)
      t.equal(bit.tohex(255, 4), "00ff")
      t.fails(function() bit.band(1, {}) end, "bad argument #2 to 'band'")
    end,
    ["math functions accept infinity and return numbers"] = function(t)
      for _, f in ipairs { math.sin, math.cos, math.tan, math.asin, math.log, math.sqrt, math.exp } do
        t.equal(type(f(HUGE)), "number")
        t.equal(type(f(-HUGE)), "number")
      end
      local kept = { math.sin(HUGE) }
      t.equal(#kept, 1)
    end,
    ["every NaN prints as nan"] = function(t)
      for _, v in ipairs { NAN, -NAN, math.sqrt(-1), HUGE - HUGE, math.sin(HUGE), tonumber("nan") } do
        t.equal(tostring(v), "nan")
        t.equal(("%s %g %5.1f"):format(v, v, v), "nan nan   nan")
        t.equal(table.concat({ 1, v, "x" }, " "), "1 nan x")
        t.equal(#string.rep(v, 2), 6)
      end
    end,
    ["%d formats 64-bit integers"] = function(t)
      t.equal(("%d"):format(NAN), "0")
      t.equal(("%d"):format(1e300), "9223372036854774784")
      t.equal(("%d"):format(-HUGE), "-9223372036854775808")
      t.equal(("%x"):format(2 ^ 64), "fffffffffffff800")
      t.equal(("%d%% of %s"):format(12.9, "x"), "12% of x")
    end,
    ["string positions are truncated, compiled and interpreted"] = function(t)
      local found = {}
      for i = 1, 200 do
        local half = i % 2 * 0 + 0.6
        found[i] = ("abc"):sub(half + half, half + half) .. ("abc"):byte(half + half)
      end
      for i = 1, 200 do
        t.equal(found[i], "a97")
      end
    end,
    ["string.sub handles positive and negative ends in one compiled loop"] = function(t)
      local sub = assert(load("return function(s, ends, out) for i = 1, #ends do out[i] = s:sub(2, ends[i]) end end"))()
      local count = assert(load("return function(s, ends, out) for i = 1, #ends do "
        .. "out[i] = select('#', s:byte(2, ends[i])) end end"))()
      local ends, out = {}, {}
      for _, last in ipairs { 10, -2, 2, -1, 0, -9, 4 } do
        for _ = 1, 100 do
          ends[#ends + 1] = last
        end
      end
      local parts = { [10] = "bcd", [-2] = "bc", [2] = "b", [-1] = "bcd", [0] = "", [-9] = "", [4] = "bcd" }
      for _ = 1, 3 do
        sub("abcd", ends, out)
        for i, last in ipairs(ends) do
          t.equal(out[i], parts[last])
        end
        count("abcd", ends, out)
        for i, last in ipairs(ends) do
          t.equal(out[i], #parts[last])
        end
      end
    end,
    ["a table created in a loop is distinct from the table of the previous iteration"] = function(t)
      local switched = "local t, out = { x = false }, {} for i = 1, 100 do out[i] = t.x and i or 0 t = { x = true } "
        .. "if i % 7 == 0 then t = { x = false } end end return out"
      local mixed = "local t, out = {}, {} for i = 1, 100 do out[i] = tostring(t[1]) t = { t[1] and 's' or 1 } "
        .. "if i % 5 == 0 then t = { 1 } end end return out"
      for _ = 1, 10 do
        local first, other = assert(load(switched))(), assert(load(mixed))()
        for i = 1, 100 do
          t.equal(first[i], i % 7 == 1 and 0 or i)
          t.equal(other[i], i == 1 and "nil" or (i == 2 or i % 5 == 1) and "1" or "s")
        end
      end
    end,
    ["a list has the same length through each of its references, compiled and interpreted"] = function(t)
      for _ = 1, 3 do
        local list = {}
        local names, known = { a = list, b = list }, 0
        for i = 1, 200 do
          names.b[#names.a + 1] = i
          known = known + #names.a
        end
        t.equal(#list, 200)
        t.equal(known, 20100)
      end
    end,
    ["all NaNs give the same world hash"] = function(t)
      local e = spawn_one()
      e.every_type.f, e.every_type.d = NAN, NAN
      local before = world.hash()
      e.every_type.f, e.every_type.d = -NAN, -NAN
      t.equal(world.hash(), before)
      e.every_type.d = 1
      t.is_true(world.hash() ~= before)
      e:destroy()
    end,
  },
}
