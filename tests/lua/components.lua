local t = shoal.types
return {
  motion = { vx = 0, vy = 0, spin = 0 },
  health = { hp = t.i32(100), max = t.i32(100) },
  target = { entity = t.entity },
  label = { text = t.string "plain" },
  mood = { state = t.enum { "calm", "angry" } },
  frozen = {},
  display = { view = t.string "", size = 1 },
  mode = t.single { phase = t.enum { "title", "playing", "over" }, level = t.i32(1), speed = 0.1, dark = false },
  burning = { heat = 1 },
  gun = t.many { cooldown = 0.25, heat = 0 },
  score = t.single { value = t.i32(0), best = t.vec2(3, 4) },
  results = t.single { passed = t.i32(0), failed = t.i32(0) },
  author = t.metadata { name = t.string "" },
  every_type = {
    f = t.f32(1.5), d = t.f64(0.1), b = t.bool(true), i8 = t.i8(-3), i16 = t.i16(-300), i32 = t.i32(-70000),
    u8 = t.u8(200),
    u16 = t.u16(60000), u32 = t.u32(4000000000), e = t.entity, s = t.string "text", n = t.enum { "one", "two" },
    v2 = t.vec2(1, 2), v3 = { 1, 2, 3 }, v4 = t.vec4(1, 2, 3, 4), q = t.quat, m = t.mat4, a = t.asset "a.png",
    plain = true, word = "abc",
  },
  numbers = {
    a = 0, b = 0, pair = 0, r1 = 0, r2 = 0, r3 = 0, r4 = 0, r5 = 0, r6 = 0, r7 = 0, r8 = 0, flag = false, i = t.i32(0),
    j = t.i32(0),
    d = t.f64(0), small = t.u8(0), wide = t.f64(0),
  },
  extremes = {
    a = 0, b = 0, low = 0, high = 0, da = t.f64(0), db = t.f64(0), dlow = t.f64(0), dhigh = t.f64(0),
    i = t.i32(0), j = t.i32(0), ilow = t.i32(0), ihigh = t.i32(0),
  },
  probe = { n = 0, seen = 0 },
  shield = { power = 5 },
  marker = {},
  fuel = { left = 1 },
  tuned = {
    speed = t.f32(3, { min = 0, max = 10, unit = "m/s", doc = "how fast" }), aim = t.vec3(1, 2, 3, { unit = "m" }),
    plane = { 5, 6 }, renamed_from = { speed = "velocity" },
  },
  nozzle = t.many { colour = t.vec3(1, 2, 3), kind = t.enum { "round", "flat" }, on = false, target = t.entity },
  palette = t.single { ink = t.vec4(0, 0, 0, 1), owner = t.entity, mood = t.enum { "dark", "light" }, label = "none" },
  place_of_old = t.alias { probe = { "n" }, tuned = { speed = "pace", aim = "looks" } }, -- was one component once
  trace = t.single { text = t.string "", count = t.i32(0) },
}
