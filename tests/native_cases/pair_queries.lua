-- Queries over the pairs of a relation with a named target, and with the target in an entity field, which changes.
return {
  title = "a declared query over pairs runs natively and gives the same hashes as in Lua",
  ticks = 100,
  modes = { "LuaJIT", "now" },
  components = [[
local t = shoal.types
return {
  mote = { weight = 0, sum = 0, other = 0 },
  likes = t.relation({}, { many = false }),
  goal = t.single { at = t.entity },
}]],
  game = "return {}",
  systems = {
    change_goal = [[
return {
  start = function()
    local a, b = world.spawn(nil, { name = "a" }), world.spawn(nil, { name = "b" })
    world.single.goal.at = b
    for i = 1, 700 do
      world.spawn("mote", { mote = { weight = i } }):add("likes", i % 2 == 0 and a or b)
    end
  end,
  update = function()
    if world.tick % 20 == 0 then
      world.single.goal.at = world.tick % 40 == 0 and shoal.none or world.find "a"
    end
  end,
}]],
    named_target = [[
return { query = { "mote", likes = "a" }, each = function(e) e.mote.sum = e.mote.sum * 0.5 + e.mote.weight end }]],
    target_in_field = [[
return { query = { "mote", likes = "goal.at" }, update = function(q)
  for i = 1, q.count do
    q.mote.other[i] = q.mote.other[i] * 0.25 + q.mote.sum[i]
  end
end }]],
  },
  explain = { named_target = "native", target_in_field = "native" },
}
