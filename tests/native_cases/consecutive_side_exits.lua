-- Nearly every row of a loop with a loop-carried sum takes a side exit. LuaJIT does not compile reading the locals of
-- the loop's function, so reading them in each row would cost 1 us or more per row (after_consecutive_side_exits in
-- native_cases.sh).
return {
  title = "a native loop whose rows nearly all take side exits takes at most about twice as long as in LuaJIT",
  ticks = 6,
  components = [[
local t = shoal.types
return { mote = { a = t.f64(0) }, extra = { v = 1 }, totals = t.single { n = t.f64(0), m = t.f64(0) } }]],
  assemblages = [[
return { mote = { components = { mote = {}, extra = {} } }, plain = { components = { mote = {} } } }]],
  game = [[
return { start = function() world.spawn_many("plain", 40) world.spawn_many("mote", 99960) end }]],
  systems = {
    sum = [[
local WEIGHTS = {} -- too many entries for native code
for k = 0, 63 do WEIGHTS[k] = k / 16 end
return { query = { "mote", optional = { "extra" } }, update = function(q)
  local sum, min = 0, math.huge
  for i = 1, q.count do
    if q.has.extra[i] then
      sum = sum + WEIGHTS[i % 64] + i / 16
    else
      min = math.min(min, q.mote.a[i] - i)
    end
  end
  world.single.totals.n, world.single.totals.m = world.single.totals.n * 0.5 + sum, min
end }]],
  },
  explain = { sum = "native, some rows in Lua" },
}
