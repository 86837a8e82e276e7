-- Writes any entity or nil to entity fields, which must update the indexes of referrers (world.who_targets, the
-- transform tree).
return {
  title = "writing an entity field in native code updates the referrer index",
  ticks = 5,
  assemblages = [[
return { mote = { components = { mote = {}, transform = {} } } }]],
  systems = {
    link = [[
return {
  query = { "mote" },
  start = function() world.spawn("mote", { name = "root", transform = { x = 5 } }) end,
  each = function(e)
    local m, found = e.mote, nil
    if m.a > m.b then found = m.to end
    if m.flag then m.to = m.from elseif m.a == 3 then m.to = e elseif m.a == 4 then m.to = shoal.none end
    m.from = found or shoal.none
    if m.b == 2 then m.to = world.find("missing") or shoal.none end
  end,
}]],
    tree = [[
return { after = "link", query = { "mote", "transform" }, update = function(q, dt)
  local root = world.find("root")
  for i = 1, q.count do
    if i % 5 == world.tick and i < 290 then q.transform.parent[i] = q.mote.a[i] > 2 and root or shoal.none end
  end
end }]],
    other_rows = [[
return { after = "tree", query = { "mote" }, update = function(q)
  local other = world.lookup("mote")
  for i = 1, q.count do
    local to = q.mote.to[i]
    if to:alive() and to:has("mote") then
      other.from[to] = q.entity[i]
      if q.mote.a[i] > 4 then q.mote.to[i] = nil end
      q.mote.n[i] = q.mote.n[i] % 1000 + 1
    end
  end
end }]],
    count_referrers = [[
return { after = "other_rows", query = { "mote", "transform" }, update = function(q)
  local sum = 0
  for i = 1, 20 do
    sum = sum * 0.5 + #world.who_targets(q.entity[i], "mote.to") + 3 * #world.who_targets(q.entity[i], "mote.from")
  end
  world.single.totals.n = sum + 100 * #world.who_targets(world.find("root"), "transform.parent")
end }]],
  },
  explain = {
    link = "native, no rows in Lua",
    tree = "native, no rows in Lua",
    other_rows = "native, no rows in Lua",
    count_referrers = "in LuaJIT",
  },
}
