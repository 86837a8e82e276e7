-- Other forms of native systems: code around several loops, lookups of other entities, strings, loop-invariant values.
return {
  title = "systems with several loops, entity lookups and strings run natively",
  ticks = 20,
  modes = { "LuaJIT", "sse2,now", "on", "now" },
  components = [[
local t = shoal.types
return { mote = { x = 0, goal = t.entity, word = "", kind = t.enum { "low", "high" }, tint = t.vec4() },
  extra = { n = 0 }, sky = t.single { wind = 0, word = "calm", total = 0 }, hits = t.single { sum = 0 } }]],
  game = [[
return { start = function()
  local motes = world.spawn_many("mote", 300)
  for i, e in ipairs(motes) do
    e.mote.x, e.mote.goal = i * 0.7, motes[i * 7 % 300 + 1]
    if i % 3 == 0 then e:add("extra", { n = i }) end
  end
  world.spawn("mote", { name = "leader" })
end }]],
  systems = {
    loops = [[
return { queries = { all = { "mote" }, with_extra = { "mote", "extra" } }, update = function(q, dt)
  local sky, x, count = world.single.sky, q.all.mote.x, 0
  sky.wind = sky.wind * 0.9 + 0.3
  for i = 1, q.with_extra.count do
    q.with_extra.extra.n[i] = q.with_extra.mote.x[i] - sky.total + i
    if i % 50 == world.tick then world.emit("hit", { n = i }) end
  end
  for i = 1, q.all.count do
    x[i] = x[i] + sky.wind * dt
    if i % 50 == world.tick then count = count + 1 end
  end
  sky.total = sky.total + count
end }]],
    lookups = [[
local HEIGHTS = { low = 1, high = 2.5 }
return {
  query = { "mote" },
  each = function(e)
    local mote = e.mote
    if mote.goal:alive() and mote.goal:has("extra") then mote.tint.a = mote.goal.extra.n * 0.01 end
    if e:has("extra") then e.extra.n = e.extra.n + HEIGHTS[mote.kind] end
    mote.word = world.single.sky.word == "calm" and mote.tint.a > 0.5 and "calm" or mote.word == "new" and "" or "calm"
    mote.kind = mote.tint.a > world.find("leader").mote.tint.x and "high" or "low"
  end,
}]],
  },
  explain = { loops = "native", ["loops, loop 2"] = "native", lookups = "native" },
}
